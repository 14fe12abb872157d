// Changes of the tree of folders, each under a lock of the tree it belongs to.
import { type SQL, sql } from "drizzle-orm";
import { alias } from "drizzle-orm/pg-core";
import { folders } from "../../drizzle/schema/folders.ts";
import type { Db } from "../services/database.ts";
import type { Scope } from "../shared/scope.ts";
import { isOwnFolder, type MediaType, type StoredFolder, selectFolder } from "./folders.ts";
import { columnNames, instant, type RowOf, rawCommand, rawQuery } from "./sql.ts";

/** Levels of a tree; a folder at the root is the first. */
export const MAX_FOLDER_DEPTH = 32;

/** Why a change was not made. */
export type FolderConflict =
  | "no_parent"
  | "other_media_type"
  | "into_itself"
  | "into_its_own"
  | "name_taken"
  | "too_deep";

const parent = alias(folders, "parent");
const sibling = alias(folders, "sibling");

/*
 * Held until the transaction ends. Without the lock two concurrent changes could together make a cycle, a chain that is
 * too deep, or a child of a deleted folder; with it the second change sees the result of the first.
 */
const lockTree = (scope: Scope, mediaType: SQL) =>
  sql`select pg_advisory_xact_lock(hashtextextended(${`folders:${scope.id}:`}::text || ${mediaType}, 0))`;

const lockTreeOfFolder = (db: Db, scope: Scope, id: string) =>
  rawCommand(db, sql`${lockTree(scope, sql`${folders.mediaType}`)} from ${folders} where ${isOwnFolder(scope, id)}`);

/** The new parent and its ancestors; no rows for the root, or for a folder that is not in scope. */
const ancestorsQuery = (scope: Scope, parentId: string | null) => sql`
  above as (
    select ${parent.id}, ${parent.parentId}, ${parent.mediaType} from ${folders} ${parent}
    where ${parent.scopeId} = ${scope.id} and ${parent.id} = ${parentId}::uuid
    union all
    select ${parent.id}, ${parent.parentId}, ${parent.mediaType}
    from above join ${folders} ${parent} on ${parent.id} = above.parent_folder_id
  )`;

const NIL = sql`'00000000-0000-0000-0000-000000000000'::uuid`;

/** Whether another folder under the parent has the name: written like the unique index, so that the index is used. */
const isNameTaken = (
  scope: Scope,
  parentId: string | null,
  { id, mediaType, name }: Record<"id" | "mediaType" | "name", SQL>,
) =>
  sql`exists (
    select 1 from ${folders} ${sibling}
    where ${sibling.scopeId} = ${scope.id} and ${sibling.mediaType} = ${mediaType} and ${sibling.id} <> ${id}
      and coalesce(${sibling.parentId}, ${NIL}) = coalesce(${parentId}::uuid, ${NIL})
      and lower(${sibling.name}) = lower(${name}))`;

export interface NewFolder {
  id: string;
  name: string;
  mediaType: MediaType;
  parentId: string | null;
  createdAt: Date;
}

/** The folder after the change, or the conflict that prevented it. */
export type FolderChange = { outcome: "done"; folder: StoredFolder } | { outcome: FolderConflict };

const VERDICT = { outcome: sql<FolderConflict | "done">`verdict.outcome` };

/** Null when no folder with the id is in scope. */
function toFolderChange([verdict]: RowOf<typeof VERDICT>[], [folder]: StoredFolder[]): FolderChange | null {
  if (!verdict) return null;
  if (verdict.outcome !== "done") return { outcome: verdict.outcome };
  return folder ? { outcome: "done", folder } : null;
}

/** Returns an existing folder with the id: the request is a retry. */
export async function insertFolder(db: Db, scope: Scope, folder: NewFolder): Promise<FolderChange> {
  const [id, name, mediaType] = [
    sql`${folder.id}::uuid`,
    sql`${folder.name}::text`,
    sql`${folder.mediaType}::text`,
  ] as const;
  const parentId = sql`${folder.parentId}::uuid`;
  const { ownerId, workspaceId, createdAt, updatedAt } = folders;
  const columns = [folders.id, ownerId, workspaceId, folders.name, folders.mediaType, folders.parentId];
  const [, decided, stored] = await db.batch([
    rawCommand(db, lockTree(scope, mediaType)),
    rawQuery(
      db,
      VERDICT,
      (list) => sql`
        with recursive ${ancestorsQuery(scope, folder.parentId)}, verdict as (
          select case
            when exists (select 1 from ${folders} where ${isOwnFolder(scope, folder.id)}) then 'done'
            when ${parentId} is not null and not exists (select 1 from above) then 'no_parent'
            when exists (select 1 from above where media_type <> ${mediaType}) then 'other_media_type'
            when ${isNameTaken(scope, folder.parentId, { id, name, mediaType })} then 'name_taken'
            when (select count(*) from above) >= ${MAX_FOLDER_DEPTH} then 'too_deep'
            else 'done' end as outcome
        ), made as (
          insert into ${folders} (${columnNames([...columns, createdAt, updatedAt])})
          select ${id}, ${scope.ownerId}::uuid, ${scope.workspaceId}::uuid, ${name}, ${mediaType}, ${parentId},
            ${instant(folder.createdAt)}, ${instant(folder.createdAt)}
          from verdict where outcome = 'done' on conflict (id) do nothing
        )
        select ${list} from verdict`,
    ),
    selectFolder(db, scope, folder.id),
  ]);
  const made = toFolderChange(decided, stored);
  if (!made) throw new Error("the inserted folder was not found");
  return made;
}

/** Moves a folder with its subfolders; null when no such folder is in scope. */
export async function moveFolder(
  db: Db,
  scope: Scope,
  id: string,
  parentId: string | null,
  now: Date,
): Promise<FolderChange | null> {
  const child = alias(folders, "child");
  const moving = { id: sql`moving.id`, name: sql`moving.name`, mediaType: sql`moving.media_type` };
  const moved = db
    .update(folders)
    .set({ parentId, updatedAt: now })
    .from(sql`verdict`)
    .where(
      sql`verdict.outcome = 'done' and ${folders.id} = verdict.id and ${folders.parentId} is distinct from ${parentId}::uuid`,
    );
  const [, decided, stored] = await db.batch([
    lockTreeOfFolder(db, scope, id),
    rawQuery(
      db,
      VERDICT,
      (list) => sql`
        with recursive moving as (
          select ${folders.id}, ${folders.name}, ${folders.mediaType} from ${folders} where ${isOwnFolder(scope, id)}
        ), ${ancestorsQuery(scope, parentId)}, under as (
          select moving.id, 1 as levels from moving
          union all
          select ${child.id}, under.levels + 1 from under join ${folders} ${child} on ${child.parentId} = under.id
        ), verdict as (
          select moving.id, case
            when ${parentId}::uuid is not null and not exists (select 1 from above) then 'no_parent'
            when exists (select 1 from above where media_type <> moving.media_type) then 'other_media_type'
            when moving.id = ${parentId}::uuid then 'into_itself'
            when exists (select 1 from above where id = moving.id) then 'into_its_own'
            when ${isNameTaken(scope, parentId, moving)} then 'name_taken'
            when (select count(*) from above) + (select max(levels) from under) > ${MAX_FOLDER_DEPTH} then 'too_deep'
            else 'done' end as outcome
          from moving
        ), moved as ${moved}
        select ${list} from verdict`,
    ),
    selectFolder(db, scope, id),
  ]);
  return toFolderChange(decided, stored);
}

/** Subfolders and memberships are deleted by cascade; false when no such folder is in scope. */
export async function deleteFolder(db: Db, scope: Scope, id: string): Promise<boolean> {
  const [, deleted] = await db.batch([
    lockTreeOfFolder(db, scope, id),
    db.delete(folders).where(isOwnFolder(scope, id)).returning({ id: folders.id }),
  ]);
  return deleted.length > 0;
}
