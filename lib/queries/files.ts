// Verified files of a scope.
import { and, desc, eq, inArray, type SQL, sql } from "drizzle-orm";
import { files } from "../../drizzle/schema/files.ts";
import { folderItems } from "../../drizzle/schema/folders.ts";
import { type Db, rowsOf } from "../db.ts";
import type { Scope } from "../scope.ts";
import type { Removal } from "./removals.ts";

export type FileRow = Omit<typeof files.$inferSelect, "scopeId">;

/** Those of the URLs that are finalized files of the scope. */
export function findByUrl(db: Db, scope: Scope, urls: string[]) {
  return db
    .select()
    .from(files)
    .where(and(eq(files.scopeId, scope.id), inArray(files.url, urls)));
}

/** What a customer uploaded; drawn slides and the like are not listed as files. */
const uploadedBy = (scope: Scope) => and(eq(files.scopeId, scope.id), eq(files.origin, "upload"));

export async function find(db: Db, scope: Scope, id: string): Promise<FileRow | null> {
  const [row] = await db
    .select()
    .from(files)
    .where(and(uploadedBy(scope), eq(files.id, id)));
  return row ?? null;
}

export interface Listing {
  type?: FileRow["kind"] | undefined;
  folder_id?: string | undefined;
  limit: number;
  offset: number;
}

/** One page, newest first, and how many there are; null when the folder asked for is not in scope. */
export async function list(db: Db, scope: Scope, { type, folder_id: folder, limit, offset }: Listing) {
  const inFolder = folder
    ? inArray(files.id, db.select({ id: folderItems.fileId }).from(folderItems).where(eq(folderItems.folderId, folder)))
    : undefined;
  const wanted = and(uploadedBy(scope), type ? eq(files.kind, type) : undefined, inFolder);
  const [rows, [counted], known] = await db.batch([
    db.select().from(files).where(wanted).orderBy(desc(files.createdAt), desc(files.id)).limit(limit).offset(offset),
    db.select({ total: sql<number>`count(*)::int` }).from(files).where(wanted),
    db.execute(folder ? sql`select 1 from folders where scope_id = ${scope.id} and id = ${folder}` : sql`select 1`),
  ]);
  return known.rows.length > 0 ? { rows, total: counted?.total ?? 0 } : null;
}

export interface Removed {
  /** What is left to do when the rows are gone. */
  removal: Removal;
  /** Posts that have yet to leave with this file; while there are any, nothing is deleted. */
  usedBy: string[];
}

const USERS_NAMED = 3;

/** Deletes a file and its upload, and plans the removal of its object; null when no such file is in scope. */
export async function remove(db: Db, scope: Scope, id: string, now: Date): Promise<Removed | null> {
  const result = await db.execute(sql`
    with doomed as (
      select id, url, object_key from files
      where scope_id = ${scope.id} and id = ${id} and origin = 'upload' for update
    ), users as (
      select p.id from posts p, doomed
      where p.scope_id = ${scope.id} and p.status in ('draft', 'pending', 'scheduled', 'retry') and ${names(sql`doomed.url`)}
      limit ${USERS_NAMED}
    ), gone as (
      delete from files f using doomed where f.id = doomed.id and not exists (select 1 from users) returning f.id
    ), ended as (
      delete from uploads u using gone where u.id = gone.id
    ), planned as (
      insert into removals as r (bucket, object_key, file_id, due_at)
      select 'files', doomed.object_key, gone.id, ${now.toISOString()}::timestamptz from gone join doomed using (id)
      on conflict (bucket, object_key) do update set due_at = excluded.due_at
    )
    select object_key as "objectKey", array(select id from users) as "usedBy" from doomed`);
  const [row] = rowsOf<{ objectKey: string; usedBy: string[] }>(result);
  if (!row) return null;
  const { objectKey, usedBy } = row;
  return { removal: { bucket: "files", objectKey, multipartId: null, fileId: id, dueAt: now }, usedBy };
}

/** Whether a post needs what is behind this URL when it leaves: as its media or one of them, as cover or thumbnail. */
function names(url: SQL): SQL {
  return sql`(p.media->>'url' = ${url} or jsonb_exists(p.media->'urls', ${url})
    or p.settings->'instagram'->>'cover_url' = ${url} or p.settings->'youtube'->'thumbnail'->>'path' = ${url})`;
}
