// Editor projects of a scope: listed by when they were last edited, changed on the revision that was read.
import { and, desc, eq, inArray, type SQL, sql } from "drizzle-orm";
import {
  type ProjectDocument,
  type ProjectTranscript,
  editorProjects as projects,
  speechTranscripts,
} from "../../drizzle/schema/editor.ts";
import { files } from "../../drizzle/schema/files.ts";
import { type Db, rowsOf } from "../db.ts";
import type { Cursor } from "../schemas/editor.ts";
import type { Scope } from "../scope.ts";
import type { Heard } from "../speech/hear.ts";

const SHOWN = {
  id: projects.id,
  title: projects.title,
  aspectRatio: projects.aspectRatio,
  document: projects.document,
  revision: projects.revision,
  updatedAt: projects.updatedAt,
  lockedUntil: projects.assistantLockUntil,
};

export interface StoredProject {
  id: string;
  title: string;
  aspectRatio: string;
  document: ProjectDocument;
  revision: number;
  updatedAt: Date;
  /** While it lies in the future the assistant is editing. */
  lockedUntil: Date | null;
}

/** Who did what, for the activity feed. */
export interface Activity {
  kind: "created" | "edited" | "captions_added";
  note: string | null;
  actor: string;
}

const mine = (scope: Scope, id: string): SQL | undefined => and(eq(projects.scopeId, scope.id), eq(projects.id, id));

/** One more than asked for tells whether there is another page. */
export function list(db: Db, scope: Scope, { limit, cursor }: { limit: number; cursor?: Cursor | undefined }) {
  const behind = cursor
    ? sql`(${projects.updatedAt}, ${projects.id}) < (${cursor.updatedAt.toISOString()}::timestamptz, ${cursor.id}::uuid)`
    : undefined;
  return db
    .select({
      id: projects.id,
      title: projects.title,
      aspectRatio: projects.aspectRatio,
      updatedAt: projects.updatedAt,
    })
    .from(projects)
    .where(and(eq(projects.scopeId, scope.id), behind))
    .orderBy(desc(projects.updatedAt), desc(projects.id))
    .limit(limit + 1);
}

export async function find(db: Db, scope: Scope, id: string): Promise<StoredProject | null> {
  const [row] = await db.select(SHOWN).from(projects).where(mine(scope, id));
  return row ?? null;
}

export async function findTranscript(db: Db, scope: Scope, id: string) {
  const { document, updatedAt } = SHOWN;
  const [row] = await db
    .select({ document, updatedAt, transcript: projects.transcript })
    .from(projects)
    .where(mine(scope, id));
  return row ?? null;
}

/** A file that is heard, by its content. */
export interface HeardFile {
  id: string;
  sha256: string;
  objectKey: string;
  size: number;
  audioCodec: string | null;
}

/** A project with the files that its assets are of; those that were deleted are missing. */
export async function findWithFiles(db: Db, scope: Scope, id: string) {
  const found = sql<HeardFile[]>`coalesce((
    select jsonb_agg(jsonb_build_object('id', f.id, 'sha256', f.sha256, 'objectKey', f.object_key, 'size', f.size,
      'audioCodec', f.details->>'audioCodec'))
    from files f where f.scope_id = editor_projects.scope_id
      and f.id in (select (asset->>'file_id')::uuid from jsonb_array_elements(editor_projects.document->'assets') asset)
    ), '[]')`;
  const [row] = await db.select({ project: SHOWN, files: found }).from(projects).where(mine(scope, id));
  return row ?? null;
}

export function findFiles(db: Db, scope: Scope, ids: string[]) {
  const { id, url, kind, durationMs, width, height, hasAudio } = files;
  return db
    .select({ id, url, kind, durationMs, width, height, hasAudio })
    .from(files)
    .where(and(eq(files.scopeId, scope.id), inArray(files.id, ids)));
}

type NewProject = Pick<StoredProject, "id" | "title" | "aspectRatio" | "document"> & { createdAt: Date };

/** The stored project; a repeat with the same id finds the first one's. */
export async function insert(db: Db, scope: Scope, project: NewProject, actor: string): Promise<StoredProject> {
  const { ownerId, workspaceId } = scope;
  const row = { ...project, ownerId, workspaceId, updatedAt: project.createdAt };
  const noted = sql`
    insert into editor_activity (project_id, revision, kind, actor, at)
    select id, revision, 'created', ${actor}, created_at from editor_projects p
    where p.id = ${project.id} and p.scope_id = ${scope.id}
      and not exists (select 1 from editor_activity a where a.project_id = p.id)`;
  const [, , stored] = await db.batch([
    db.insert(projects).values(row).onConflictDoNothing(),
    db.execute(noted),
    db.select(SHOWN).from(projects).where(mine(scope, project.id)),
  ]);
  if (!stored[0]) throw new Error("the project that was just inserted is not there");
  return stored[0];
}

export interface Written {
  title: string;
  document: ProjectDocument;
  transcript: ProjectTranscript | null;
  activity: Activity;
  now: Date;
}

export type Outcome = { outcome: "done"; project: StoredProject } | { outcome: "locked" | "changed" };

interface WrittenRow {
  revision: number;
  updatedAt: string | null;
  locked: boolean;
}

/*
 * One statement, so that nothing comes between the look and the write: the revision must still be the one that was
 * read, and the assistant must not be editing. `updated_at` grows whatever the clocks say.
 */
function write(scope: Scope, project: StoredProject, written: Written): SQL {
  const { title, document, transcript, activity, now } = written;
  const at = sql`${now.toISOString()}::timestamptz`;
  const heard = transcript === null ? sql`p.transcript` : sql`${JSON.stringify(transcript)}::jsonb`;
  return sql`
    with held as (
      select id, revision, coalesce(assistant_lock_until > ${at}, false) as locked from editor_projects
      where scope_id = ${scope.id} and id = ${project.id} for update
    ), edited as (
      update editor_projects p set title = ${title}, document = ${JSON.stringify(document)}::jsonb,
        previous = jsonb_build_object('clips', p.document->'clips', 'text_clips', p.document->'text_clips'),
        transcript = ${heard}, revision = p.revision + 1,
        updated_at = greatest(${at}, p.updated_at + interval '1 millisecond')
      from held where p.id = held.id and held.revision = ${project.revision} and not held.locked
      returning p.id, p.revision, p.updated_at
    ), noted as (
      insert into editor_activity (project_id, revision, kind, note, actor, at)
      select id, revision, ${activity.kind}, ${activity.note}::text, ${activity.actor}, ${at} from edited
    )
    select coalesce(edited.revision, held.revision) as revision, edited.updated_at as "updatedAt", held.locked
    from held left join edited on true`;
}

/** Null when the project is gone. */
function outcomeOf(project: StoredProject, written: Written, rows: WrittenRow[]): Outcome | null {
  const [row] = rows;
  if (!row) return null;
  const { title, document } = written;
  const { revision, updatedAt } = row;
  if (updatedAt) {
    return { outcome: "done", project: { ...project, title, document, revision, updatedAt: new Date(updatedAt) } };
  }
  return { outcome: revision === project.revision && row.locked ? "locked" : "changed" };
}

/** Changes a project that is still as it was read; null when it is gone. */
export async function change(db: Db, scope: Scope, project: StoredProject, written: Written): Promise<Outcome | null> {
  return outcomeOf(project, written, rowsOf<WrittenRow>(await db.execute(write(scope, project, written))));
}

/** Keeps what was heard in a project whose revision is still the one that was heard; false when it is not. */
export async function keepTranscript(
  db: Db,
  scope: Scope,
  { id, revision }: StoredProject,
  transcript: ProjectTranscript,
): Promise<boolean> {
  const kept = await db
    .update(projects)
    .set({ transcript })
    .where(and(mine(scope, id), eq(projects.revision, revision)))
    .returning({ id: projects.id });
  return kept.length > 0;
}

export async function remove(db: Db, scope: Scope, id: string): Promise<boolean> {
  const gone = await db.delete(projects).where(mine(scope, id)).returning({ id: projects.id });
  return gone.length > 0;
}

/** What a recogniser has heard of these contents before. */
export function heardBefore(db: Db, scope: Scope, recogniser: string, contents: string[]): Promise<Heard[]> {
  const { sha256, startMs, endMs, language, words } = speechTranscripts;
  return db
    .select({ sha256, startMs, endMs, language, words })
    .from(speechTranscripts)
    .where(
      and(
        eq(speechTranscripts.scopeId, scope.id),
        inArray(speechTranscripts.sha256, contents),
        eq(speechTranscripts.recogniser, recogniser),
      ),
    );
}

export async function keepHeard(db: Db, scope: Scope, recogniser: string, heard: Heard[]): Promise<void> {
  if (heard.length === 0) return;
  const { ownerId, workspaceId } = scope;
  const rows = heard.map((each) => ({ ...each, ownerId, workspaceId, recogniser }));
  await db.insert(speechTranscripts).values(rows).onConflictDoNothing();
}
