// Editor projects of a scope: listed by their last edit, updated only if the revision has not changed since it was read.
import { and, desc, eq, inArray, type SQL, sql } from "drizzle-orm";
import { editorActivity, editorProjects as projects, speechTranscripts } from "../../drizzle/schema/editor.ts";
import { files } from "../../drizzle/schema/files.ts";
import type { RowPosition } from "../schemas/pagination.ts";
import type { Db, ReadOnlyDb } from "../services/database.ts";
import { at } from "../shared/at.ts";
import type { ProjectDocument, ProjectTranscript, TranscribedRange } from "../shared/project-document.ts";
import type { Scope } from "../shared/scope.ts";
import { isAfterCursor } from "./paging.ts";
import { type Read, readFirst, readRows } from "./read.ts";
import { inScope } from "./scope.ts";
import { columnNames, instant, jsonList, type RowOf, rawCommand, rawQuery, typedAs } from "./sql.ts";

export const PROJECT_COLUMNS = {
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
  /** The assistant is editing until this time. */
  lockedUntil: Date | null;
}

/** An entry of the activity feed. */
export interface Activity {
  kind: "created" | "edited" | "captions_added";
  note: string | null;
  actor: string;
}

const isOwnProject = (scope: Scope, id: string): SQL | undefined => and(inScope(projects, scope), eq(projects.id, id));

/** Reads one row more than the page, to know whether there is another page. */
export function listProjects(
  db: ReadOnlyDb,
  scope: Scope,
  { limit, cursor }: { limit: number; cursor?: RowPosition | undefined },
) {
  const query = db
    .select({
      id: projects.id,
      title: projects.title,
      aspectRatio: projects.aspectRatio,
      updatedAt: projects.updatedAt,
    })
    .from(projects)
    .where(and(inScope(projects, scope), isAfterCursor(projects.updatedAt, projects.id, cursor)))
    .orderBy(desc(projects.updatedAt), desc(projects.id))
    .limit(limit + 1);
  return readRows(db, query);
}

export function findProject(db: ReadOnlyDb, scope: Scope, id: string): Read<StoredProject | null> {
  return readFirst(db, db.select(PROJECT_COLUMNS).from(projects).where(isOwnProject(scope, id)));
}

export function findProjectTranscript(db: ReadOnlyDb, scope: Scope, id: string) {
  const { document, updatedAt } = PROJECT_COLUMNS;
  return readFirst(
    db,
    db.select({ document, updatedAt, transcript: projects.transcript }).from(projects).where(isOwnProject(scope, id)),
  );
}

/** A file to transcribe, with the hash of its content. */
export interface TranscribableFile {
  id: string;
  sha256: string;
  objectKey: string;
  size: number;
  audioCodec: string | null;
}

/** A project with the files of its assets; deleted files are missing. */
export async function findProjectWithFiles(db: ReadOnlyDb, scope: Scope, id: string) {
  const { id: fileId, sha256, objectKey, size, details } = files;
  const assetFiles = jsonList(
    { id: fileId, sha256, objectKey, size, audioCodec: sql<string | null>`${details}->>'audioCodec'` },
    {
      from: sql`from ${files} where ${files.scopeId} = ${projects.scopeId} and ${fileId} in (
        select (asset->>'file_id')::uuid from jsonb_array_elements(${projects.document}->'assets') asset)`,
    },
  );
  const [row] = await db
    .select({ project: PROJECT_COLUMNS, files: assetFiles })
    .from(projects)
    .where(isOwnProject(scope, id));
  return row ?? null;
}

export function findProjectFiles(db: ReadOnlyDb, scope: Scope, ids: string[]) {
  const { id, url, kind, durationMs, width, height, hasAudio } = files;
  return db
    .select({ id, url, kind, durationMs, width, height, hasAudio })
    .from(files)
    .where(and(inScope(files, scope), inArray(files.id, ids)));
}

type NewProject = Pick<StoredProject, "id" | "title" | "aspectRatio" | "document"> & { createdAt: Date };

/** The stored project; a retry with the same id returns the one that the first request stored. */
export async function insertProject(db: Db, scope: Scope, project: NewProject, actor: string): Promise<StoredProject> {
  const { ownerId, workspaceId } = scope;
  const row = { ...project, ownerId, workspaceId, updatedAt: project.createdAt };
  const { projectId, revision, kind } = editorActivity;
  const activity = sql`
    insert into ${editorActivity} (${columnNames([projectId, revision, kind, editorActivity.actor, editorActivity.at])})
    select ${projects.id}, ${projects.revision}, 'created', ${actor}, ${projects.createdAt} from ${projects}
    where ${isOwnProject(scope, project.id)}
      and not exists (select 1 from ${editorActivity} where ${projectId} = ${projects.id})`;
  const [, , stored] = await db.batch([
    db.insert(projects).values(row).onConflictDoNothing(),
    rawCommand(db, activity),
    db.select(PROJECT_COLUMNS).from(projects).where(isOwnProject(scope, project.id)),
  ]);
  return at(stored, 0);
}

export interface ProjectUpdate {
  title: string;
  document: ProjectDocument;
  transcript: ProjectTranscript | null;
  activity: Activity;
  now: Date;
}

export type ProjectUpdateResult = { outcome: "done"; project: StoredProject } | { outcome: "locked" | "changed" };

const UPDATE_COLUMNS = {
  revision: sql<number>`coalesce(updated_project.revision, locked_project.revision)`,
  updatedAt: typedAs(sql`updated_project.updated_at`, projects.updatedAt) as SQL<Date | null>,
  locked: sql<boolean>`locked_project.locked`,
};
type UpdateRow = RowOf<typeof UPDATE_COLUMNS>;

/*
 * Checks and writes in one statement: the revision must still be the one that was read, and the assistant must not be
 * editing. The row is locked, so that of two updates the second waits, and then sees the revision of the first.
 */
function runUpdate(db: Db, scope: Scope, project: StoredProject, update: ProjectUpdate) {
  const { activity, now } = update;
  const { projectId, revision, kind, note, actor, at } = editorActivity;
  return rawQuery(
    db,
    UPDATE_COLUMNS,
    (list) => sql`
      with locked_project as ${lockProject(db, scope, project.id, now)},
        updated_project as ${updateIfUnchanged(db, project, update)},
        new_activity as (
          insert into ${editorActivity} (${columnNames([projectId, revision, kind, note, actor, at])})
          select id, revision, ${activity.kind}, ${activity.note}::text, ${activity.actor}, ${instant(now)}
          from updated_project
        )
      select ${list} from locked_project left join updated_project on true`,
  );
}

const lockProject = (db: Db, scope: Scope, id: string, now: Date) =>
  db
    .select({
      id: projects.id,
      revision: projects.revision,
      locked: sql<boolean>`coalesce(${projects.assistantLockUntil} > ${instant(now)}, false)`.as("locked"),
    })
    .from(projects)
    .where(isOwnProject(scope, id))
    .for("update");

/** `updated_at` always increases, regardless of clock differences. */
function updateIfUnchanged(db: Db, project: StoredProject, { title, document, transcript, now }: ProjectUpdate) {
  const stored = projects.document;
  return db
    .update(projects)
    .set({
      title,
      document,
      // A new title leaves the clips, and what undo restores, as they are.
      ...(document.undo?.revision === project.revision
        ? { previous: sql`jsonb_build_object('clips', ${stored}->'clips', 'text_clips', ${stored}->'text_clips')` }
        : {}),
      ...(transcript === null ? {} : { transcript }),
      revision: sql`${projects.revision} + 1`,
      updatedAt: sql`greatest(${instant(now)}, ${projects.updatedAt} + interval '1 millisecond')`,
    })
    .from(sql`locked_project`)
    .where(
      sql`${projects.id} = locked_project.id and locked_project.revision = ${project.revision} and not locked_project.locked`,
    )
    .returning({ id: projects.id, revision: projects.revision, updatedAt: projects.updatedAt });
}

/** Null if the project was deleted. */
function toUpdateResult(project: StoredProject, update: ProjectUpdate, rows: UpdateRow[]): ProjectUpdateResult | null {
  const [row] = rows;
  if (!row) return null;
  const { title, document } = update;
  const { revision, updatedAt } = row;
  if (updatedAt) {
    return { outcome: "done", project: { ...project, title, document, revision, updatedAt } };
  }
  return { outcome: revision === project.revision && row.locked ? "locked" : "changed" };
}

/** Updates a project whose revision has not changed since it was read; null if it was deleted. */
export async function saveProject(
  db: Db,
  scope: Scope,
  project: StoredProject,
  update: ProjectUpdate,
): Promise<ProjectUpdateResult | null> {
  return toUpdateResult(project, update, await runUpdate(db, scope, project, update));
}

/** Stores the transcript if the project still has the transcribed revision; false otherwise. */
export async function saveProjectTranscript(
  db: Db,
  scope: Scope,
  { id, revision }: StoredProject,
  transcript: ProjectTranscript,
): Promise<boolean> {
  const rows = await db
    .update(projects)
    .set({ transcript })
    .where(and(isOwnProject(scope, id), eq(projects.revision, revision)))
    .returning({ id: projects.id });
  return rows.length > 0;
}

export async function deleteProject(db: Db, scope: Scope, id: string): Promise<boolean> {
  const rows = await db.delete(projects).where(isOwnProject(scope, id)).returning({ id: projects.id });
  return rows.length > 0;
}

/** Earlier transcripts of files with these content hashes. */
export function findFileTranscripts(
  db: Db,
  scope: Scope,
  recogniser: string,
  contents: string[],
): Promise<TranscribedRange[]> {
  const { sha256, startMs, endMs, language, words } = speechTranscripts;
  return db
    .select({ sha256, startMs, endMs, language, words })
    .from(speechTranscripts)
    .where(
      and(
        inScope(speechTranscripts, scope),
        inArray(speechTranscripts.sha256, contents),
        eq(speechTranscripts.recogniser, recogniser),
      ),
    );
}

export async function saveFileTranscripts(
  db: Db,
  scope: Scope,
  recogniser: string,
  ranges: TranscribedRange[],
): Promise<void> {
  if (ranges.length === 0) return;
  const { ownerId, workspaceId } = scope;
  const rows = ranges.map((each) => ({ ...each, ownerId, workspaceId, recogniser }));
  await db.insert(speechTranscripts).values(rows).onConflictDoNothing();
}
