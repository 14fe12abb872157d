// Changes of the tree of folders, each under a lock of the tree it belongs to.
import { type SQL, sql } from "drizzle-orm";
import { alias } from "drizzle-orm/pg-core";
import { folders } from "../../drizzle/schema/folders.ts";
import type { Db } from "../services/database.ts";
import type { Scope } from "../shared/scope.ts";
import { isOwnFolder, type MediaType, type StoredFolder, selectFolder } from "./folders.ts";
import { inScope } from "./scope.ts";
import { columnNames, instant, rawCommand, rawQuery } from "./sql.ts";

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
const child = alias(folders, "child");
const sibling = alias(folders, "sibling");

/*
 * A change of a tree waits for the one before it, until that one's transaction ends; changes of other trees do not wait.
 * Without the lock two concurrent changes could together make a cycle, a chain that is too deep, or a child of a deleted
 * folder; with it the second change sees the result of the first.
 */
const lockTree = (scope: Scope, mediaType: SQL) =>
  sql`select pg_advisory_xact_lock(hashtextextended(${`folders:${scope.id}:`}::text || ${mediaType}, 0))`;

const lockTreeOfFolder = (db: Db, scope: Scope, id: string) =>
  rawCommand(db, sql`${lockTree(scope, sql`${folders.mediaType}`)} from ${folders} where ${isOwnFolder(scope, id)}`);

/** The new parent and its ancestors; no rows for the root, or for a folder that is not in scope. */
const selectAncestors = (scope: Scope, parentId: string | null) => sql`
  select ${parent.id}, ${parent.parentId}, ${parent.mediaType} from ${folders} ${parent}
  where ${inScope(parent, scope)} and ${parent.id} = ${parentId}::uuid
  union all
  select ${parent.id}, ${parent.parentId}, ${parent.mediaType}
  from ancestors join ${folders} ${parent} on ${parent.id} = ancestors.parent_folder_id`;

const NIL = sql`'00000000-0000-0000-0000-000000000000'::uuid`;

/** Another folder under the parent has the name. The condition is that of the unique index, so that the index is used. */
const isNameTaken = (scope: Scope, parentId: SQL, { id, mediaType, name }: Record<"id" | "mediaType" | "name", SQL>) =>
  sql`exists (
    select 1 from ${folders} ${sibling}
    where ${inScope(sibling, scope)} and ${sibling.mediaType} = ${mediaType} and ${sibling.id} <> ${id}
      and coalesce(${sibling.parentId}, ${NIL}) = coalesce(${parentId}, ${NIL})
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

/** Runs a change under the lock of its tree. Null when no folder with the id is in scope. */
async function changeFolder(
  db: Db,
  scope: Scope,
  id: string,
  { lock, change }: { lock: ReturnType<typeof rawCommand>; change: (list: SQL) => SQL },
): Promise<FolderChange | null> {
  const [, [verdict], [folder]] = await db.batch([lock, rawQuery(db, VERDICT, change), selectFolder(db, scope, id)]);
  if (!verdict) return null;
  if (verdict.outcome !== "done") return { outcome: verdict.outcome };
  return folder ? { outcome: "done", folder } : null;
}

/** Inserts a folder. An existing folder with the id is returned as it is: the request is a retry. */
export async function insertFolder(db: Db, scope: Scope, folder: NewFolder): Promise<FolderChange> {
  const change = await changeFolder(db, scope, folder.id, {
    lock: rawCommand(db, lockTree(scope, sql`${folder.mediaType}::text`)),
    change: (list) => sql`
      with recursive ancestors as (${selectAncestors(scope, folder.parentId)}),
        verdict as (${judgeInsert(scope, folder)}), new_folder as (${insertIfDone(scope, folder)})
      select ${list} from verdict`,
  });
  if (!change) throw new Error("the inserted folder was not found");
  return change;
}

function judgeInsert(scope: Scope, { id, name, mediaType, parentId }: NewFolder): SQL {
  const folder = { id: sql`${id}::uuid`, name: sql`${name}::text`, mediaType: sql`${mediaType}::text` };
  return sql`
    select case
      when exists (select 1 from ${folders} where ${isOwnFolder(scope, id)}) then 'done'
      when ${parentId}::uuid is not null and not exists (select 1 from ancestors) then 'no_parent'
      when exists (select 1 from ancestors where media_type <> ${folder.mediaType}) then 'other_media_type'
      when ${isNameTaken(scope, sql`${parentId}::uuid`, folder)} then 'name_taken'
      when (select count(*) from ancestors) >= ${MAX_FOLDER_DEPTH} then 'too_deep'
      else 'done' end as outcome`;
}

function insertIfDone(scope: Scope, { id, name, mediaType, parentId, createdAt }: NewFolder): SQL {
  const { ownerId, workspaceId } = folders;
  const columns = [folders.id, ownerId, workspaceId, folders.name, folders.mediaType, folders.parentId];
  return sql`
    insert into ${folders} (${columnNames([...columns, folders.createdAt, folders.updatedAt])})
    select ${id}::uuid, ${scope.ownerId}::uuid, ${scope.workspaceId}::uuid, ${name}::text, ${mediaType}::text,
      ${parentId}::uuid, ${instant(createdAt)}, ${instant(createdAt)}
    from verdict where outcome = 'done' on conflict (id) do nothing`;
}

/** Moves a folder with its subfolders; null when no such folder is in scope. */
export async function moveFolder(
  db: Db,
  scope: Scope,
  id: string,
  parentId: string | null,
  now: Date,
): Promise<FolderChange | null> {
  const { name, mediaType } = folders;
  return changeFolder(db, scope, id, {
    lock: lockTreeOfFolder(db, scope, id),
    change: (list) => sql`
      with recursive
        folder as (select ${folders.id}, ${name}, ${mediaType} from ${folders} where ${isOwnFolder(scope, id)}),
        ancestors as (${selectAncestors(scope, parentId)}), descendants as (${selectDescendants}),
        verdict as (${judgeMove(scope, parentId)}), moved_folder as ${updateParent(db, parentId, now)}
      select ${list} from verdict`,
  });
}

/** The folder itself and all folders below it, with their level. */
const selectDescendants = sql`
  select folder.id, 1 as level from folder
  union all
  select ${child.id}, descendants.level + 1
  from descendants join ${folders} ${child} on ${child.parentId} = descendants.id`;

function judgeMove(scope: Scope, parentId: string | null): SQL {
  const folder = { id: sql`folder.id`, name: sql`folder.name`, mediaType: sql`folder.media_type` };
  const depth = sql`(select count(*) from ancestors) + (select max(level) from descendants)`;
  return sql`
    select folder.id, case
      when ${parentId}::uuid is not null and not exists (select 1 from ancestors) then 'no_parent'
      when exists (select 1 from ancestors where media_type <> folder.media_type) then 'other_media_type'
      when folder.id = ${parentId}::uuid then 'into_itself'
      when exists (select 1 from ancestors where id = folder.id) then 'into_its_own'
      when ${isNameTaken(scope, sql`${parentId}::uuid`, folder)} then 'name_taken'
      when ${depth} > ${MAX_FOLDER_DEPTH} then 'too_deep'
      else 'done' end as outcome
    from folder`;
}

const updateParent = (db: Db, parentId: string | null, now: Date) =>
  db
    .update(folders)
    .set({ parentId, updatedAt: now })
    .from(sql`verdict`)
    .where(
      sql`verdict.outcome = 'done' and ${folders.id} = verdict.id and ${folders.parentId} is distinct from ${parentId}::uuid`,
    );

/** Renames a folder; null when no such folder is in scope. People do it in the dashboard; the API has no operation for it. */
export async function renameFolder(
  db: Db,
  scope: Scope,
  id: string,
  newName: string,
  now: Date,
): Promise<FolderChange | null> {
  const { name, mediaType, parentId } = folders;
  const other = { id: sql`folder.id`, mediaType: sql`folder.media_type`, name: sql`${newName}::text` };
  return changeFolder(db, scope, id, {
    lock: lockTreeOfFolder(db, scope, id),
    change: (list) => sql`
      with folder as (select ${folders.id}, ${mediaType}, ${parentId} from ${folders} where ${isOwnFolder(scope, id)}),
        verdict as (
          select folder.id, case when ${isNameTaken(scope, sql`folder.parent_folder_id`, other)} then 'name_taken'
            else 'done' end as outcome
          from folder
        ), renamed_folder as ${db
          .update(folders)
          .set({ name: newName, updatedAt: now })
          .from(sql`verdict`)
          .where(sql`verdict.outcome = 'done' and ${folders.id} = verdict.id and ${name} <> ${newName}`)}
      select ${list} from verdict`,
  });
}

/** Subfolders and memberships are deleted by cascade; false when no such folder is in scope. */
export async function deleteFolder(db: Db, scope: Scope, id: string): Promise<boolean> {
  const [, deleted] = await db.batch([
    lockTreeOfFolder(db, scope, id),
    db.delete(folders).where(isOwnFolder(scope, id)).returning({ id: folders.id }),
  ]);
  return deleted.length > 0;
}
