// The web editor shows this of a project beside its timeline: who changed it, whether the assistant is editing, the undo step.
import { and, desc, eq, inArray, sql } from "drizzle-orm";
import { editorActivity, editorProjects as projects } from "../../drizzle/schema/editor.ts";
import { apiKeys, grants } from "../../drizzle/schema/keys.ts";
import { owners } from "../../drizzle/schema/tenants.ts";
import type { ReadOnlyDb } from "../services/database.ts";
import { PROJECT_COLUMNS } from "./editor.ts";
import { readRows } from "./read.ts";
import type { RowOf } from "./sql.ts";

const ACTIVITY = {
  kind: editorActivity.kind,
  note: editorActivity.note,
  at: editorActivity.at,
  /** The address of a person, the name of a key, the name of the client of a grant; the public id when it is gone. */
  who: sql<string>`coalesce(${owners.email}, ${apiKeys.name}, ${grants.clientName}, ${editorActivity.actor})`,
  isPerson: sql<boolean>`${owners.id} is not null`,
};

/** People act as `user_` and their id; see lib/http/request-actor.ts. */
const personId = sql`case when ${editorActivity.actor} like 'user\_%' then substr(${editorActivity.actor}, 6)::uuid end`;

export type ActivityEntry = RowOf<typeof ACTIVITY>;

const isProject = (scopeId: string, id: string) => and(eq(projects.scopeId, scopeId), eq(projects.id, id));

/** A project with the newest entries of its activity feed, in one round trip; null when the workspace has none of this id. */
export async function findProjectWithActivity(db: ReadOnlyDb, scopeId: string, id: string, maxEntries: number) {
  const [[project], activity] = await db.batch([
    db
      .select({ ...PROJECT_COLUMNS, transcript: projects.transcript })
      .from(projects)
      .where(isProject(scopeId, id)),
    db
      .select(ACTIVITY)
      .from(editorActivity)
      .innerJoin(projects, eq(projects.id, editorActivity.projectId))
      .leftJoin(owners, eq(owners.id, personId))
      .leftJoin(apiKeys, and(eq(apiKeys.publicId, editorActivity.actor), eq(apiKeys.scopeId, scopeId)))
      .leftJoin(grants, and(eq(grants.publicId, editorActivity.actor), eq(grants.scopeId, scopeId)))
      .where(isProject(scopeId, id))
      .orderBy(desc(editorActivity.id))
      .limit(maxEntries),
  ]);
  return project ? { project, activity } : null;
}

/** Reads the state of a project, so that pages that stay open see a change. */
export async function findProjectState(db: ReadOnlyDb, scopeId: string, id: string) {
  const [row] = await db
    .select({ updatedAt: projects.updatedAt, lockedUntil: projects.assistantLockUntil })
    .from(projects)
    .where(isProject(scopeId, id));
  return row ?? null;
}

const CARD = {
  id: projects.id,
  title: projects.title,
  aspectRatio: projects.aspectRatio,
  updatedAt: projects.updatedAt,
  /** The file that its picture shows: the first that has one. */
  picture: sql<{ url: string; type: "video" | "image" } | null>`(
    select jsonb_build_object('url', asset->>'url', 'type', asset->>'type')
    from jsonb_array_elements(${projects.document}->'assets') asset where asset->>'type' <> 'audio' limit 1)`,
  durationMs: sql<number>`(
    select coalesce(max((clip->>'end_ms')::int), 0) from jsonb_array_elements(${projects.document}->'clips') clip)`,
  hasCaptions: sql<boolean>`${projects.document}->'text_clips' @> '[{"role": "caption"}]'`,
};
export type ProjectCard = RowOf<typeof CARD>;

/** Projects as cards, the last edited first. */
export function listProjectCards(
  db: ReadOnlyDb,
  scopeId: string,
  { limit, offset }: { limit: number; offset: number },
) {
  const query = db
    .select(CARD)
    .from(projects)
    .where(eq(projects.scopeId, scopeId))
    .orderBy(desc(projects.updatedAt), desc(projects.id))
    .limit(limit)
    .offset(offset);
  return readRows(db, query);
}

/** The clips before the last change, for undo. */
export async function findPreviousProject(db: ReadOnlyDb, scopeId: string, id: string) {
  const [row] = await db.select({ previous: projects.previous }).from(projects).where(isProject(scopeId, id));
  return row?.previous ?? null;
}

/** The scope of a project, if it is one of these. */
export async function findProjectScope(db: ReadOnlyDb, scopeIds: string[], id: string): Promise<string | null> {
  if (scopeIds.length === 0) return null;
  const [row] = await db
    .select({ scopeId: projects.scopeId })
    .from(projects)
    .where(and(inArray(projects.scopeId, scopeIds), eq(projects.id, id)));
  return row?.scopeId ?? null;
}
