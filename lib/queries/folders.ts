// The tree of folders per scope and media type: read in one statement, changed under a lock of the tree it belongs to.
import { type SQL, sql } from "drizzle-orm";
import { type Db, rowsOf } from "../db.ts";
import type { Folder, FolderQuery, MediaType } from "../schemas/folder.ts";
import type { Scope } from "../scope.ts";

/** Levels of a tree; a folder at the root is the first. */
export const DEPTH_AT_MOST = 32;

const PREVIEWS_AT_MOST = 4;

/** Why a change was not made; the tree is as it was. */
export type Obstacle = "no_parent" | "other_media_type" | "into_itself" | "into_its_own" | "name_taken" | "too_deep";

/** The whole row as answers show it; every part is found by index, so that a page costs no more than its rows. */
const COLUMNS = sql`
  f.id, f.name, f.media_type, f.parent_folder_id, f.created_at, f.updated_at,
  (with recursive up as (
      select f.parent_folder_id as next, '/' || f.name as path
      union all
      select p.parent_folder_id, '/' || p.name || up.path from up join folders p on p.id = up.next
    ) select path from up where next is null) as path,
  (select count(*)::int from folder_items i where i.folder_id = f.id) as file_count,
  (select count(*)::int from folders c where c.parent_folder_id = f.id) as subfolder_count,
  coalesce(case when f.media_type = 'slideshow' then (
      select jsonb_agg(jsonb_build_object('id', n.id, 'url', n.preview_image_url, 'content_type', m.content_type)
        order by n.id desc)
      from (
        select s.id, s.preview_image_url from folder_items i join slideshows s on s.id = i.slideshow_id
        where i.folder_id = f.id and s.preview_image_url is not null
        order by i.slideshow_id desc limit ${PREVIEWS_AT_MOST}
      ) n left join files m on m.scope_id = f.scope_id and m.url = n.preview_image_url
    ) else (
      select jsonb_agg(jsonb_build_object('id', n.id, 'url', n.url, 'content_type', n.content_type) order by n.id desc)
      from (
        select x.id, x.url, x.content_type from folder_items i join files x on x.id = i.file_id
        where i.folder_id = f.id order by i.file_id desc limit ${PREVIEWS_AT_MOST}
      ) n
    ) end, '[]') as preview_files`;

const selectFolder = (scope: Scope, id: string) =>
  sql`select ${COLUMNS} from folders f where f.scope_id = ${scope.id} and f.id = ${id}`;

export async function find(db: Db, scope: Scope, id: string): Promise<Folder | null> {
  const [row] = rowsOf<Folder>(await db.execute(selectFolder(scope, id)));
  return row ?? null;
}

/** One page, newest first, and how many there are; null when the parent asked for is not in scope. */
export async function list(
  db: Db,
  scope: Scope,
  query: FolderQuery,
): Promise<{ rows: Folder[]; total: number } | null> {
  const { media_type, parent_folder_id: parent, limit, offset } = query;
  const where = sql.join(
    [
      sql`f.scope_id = ${scope.id}`,
      ...(media_type ? [sql`f.media_type = ${media_type}`] : []),
      ...(parent === "root" ? [sql`f.parent_folder_id is null`] : []),
      ...(parent && parent !== "root" ? [sql`f.parent_folder_id = ${parent}`] : []),
    ],
    sql` and `,
  );
  const known =
    parent && parent !== "root"
      ? sql`exists (select 1 from folders p where p.scope_id = ${scope.id} and p.id = ${parent})`
      : sql`true`;
  const [page, counted] = await db.batch([
    // The page is cut before anything is counted or shown of its folders.
    db.execute(sql`
      select ${COLUMNS} from (
        select * from folders f where ${where} order by f.created_at desc, f.id desc limit ${limit} offset ${offset}
      ) f order by f.created_at desc, f.id desc`),
    db.execute(sql`select ${known} as known, (select count(*)::int from folders f where ${where}) as total`),
  ]);
  const [counts] = rowsOf<{ known: boolean; total: number }>(counted);
  return counts?.known ? { rows: rowsOf<Folder>(page), total: counts.total } : null;
}

export interface Ancestor {
  id: string;
  name: string;
  parent_folder_id: string | null;
  depth: number;
}

/** From the root down to the parent; null when no such folder is in scope. */
export async function ancestors(db: Db, scope: Scope, id: string): Promise<Ancestor[] | null> {
  const found = await db.execute(sql`
    with recursive up as (
      select f.id, f.name, f.parent_folder_id, 0 as above from folders f where f.scope_id = ${scope.id} and f.id = ${id}
      union all
      select p.id, p.name, p.parent_folder_id, up.above + 1 from up join folders p on p.id = up.parent_folder_id
    )
    select id, name, parent_folder_id, (row_number() over (order by above desc))::int as depth from up
    order by depth`);
  const rows = rowsOf<Ancestor>(found);
  return rows.length === 0 ? null : rows.slice(0, -1);
}

/*
 * Held until the transaction ends. Two changes that are each right about the tree they see can together make a cycle, a
 * chain that is too deep, or a child of a folder that is gone; behind the lock the second one sees what the first did.
 */
const lockTree = (scope: Scope, mediaType: SQL) =>
  sql`select pg_advisory_xact_lock(hashtextextended(${`folders:${scope.id}:`}::text || ${mediaType}, 0))`;

const lockTreeOf = (scope: Scope, id: string) =>
  sql`${lockTree(scope, sql`f.media_type`)} from folders f where f.scope_id = ${scope.id} and f.id = ${id}`;

/** The parent to be, and all that is above it; nothing for the root, or for a folder that is not in scope. */
const above = (scope: Scope, parentId: string | null) => sql`
  above as (
    select p.id, p.parent_folder_id, p.media_type from folders p
    where p.scope_id = ${scope.id} and p.id = ${parentId}::uuid
    union all
    select p.id, p.parent_folder_id, p.media_type from above a join folders p on p.id = a.parent_folder_id
  )`;

const NIL = sql`'00000000-0000-0000-0000-000000000000'::uuid`;

/** Whether another folder under the parent has the name: the words of the unique index, so that it serves. */
const taken = (
  scope: Scope,
  parentId: string | null,
  { id, mediaType, name }: Record<"id" | "mediaType" | "name", SQL>,
) =>
  sql`exists (
    select 1 from folders s where s.scope_id = ${scope.id} and s.media_type = ${mediaType} and s.id <> ${id}
      and coalesce(s.parent_folder_id, ${NIL}) = coalesce(${parentId}::uuid, ${NIL}) and lower(s.name) = lower(${name}))`;

export interface NewFolder {
  id: string;
  name: string;
  mediaType: MediaType;
  parentId: string | null;
  createdAt: Date;
}

/** The folder as it is now, or what stood in the way. */
export type Changed = { outcome: "done"; folder: Folder } | { outcome: Obstacle };

type Rows = { rows: Record<string, unknown>[] };

/** Null when the statement came to no verdict: there was nothing to judge. */
function changed(decided: Rows, stored: Rows): Changed | null {
  const [verdict] = rowsOf<{ outcome: Obstacle } | { outcome: "done" }>(decided);
  const [folder] = rowsOf<Folder>(stored);
  if (verdict?.outcome === "done") return folder ? { outcome: "done", folder } : null;
  return verdict ?? null;
}

/** A folder whose id is there already is the one of a request that is repeated. */
export async function insert(db: Db, scope: Scope, folder: NewFolder): Promise<Changed> {
  const [id, name] = [sql`${folder.id}::uuid`, sql`${folder.name}::text`];
  const at = folder.createdAt.toISOString();
  const [, decided, stored] = await db.batch([
    db.execute(lockTree(scope, sql`${folder.mediaType}::text`)),
    db.execute(sql`
      with recursive ${above(scope, folder.parentId)}, verdict as (
        select case
          when exists (select 1 from folders f where f.scope_id = ${scope.id} and f.id = ${id}) then 'done'
          when ${folder.parentId}::uuid is not null and not exists (select 1 from above) then 'no_parent'
          when exists (select 1 from above where media_type <> ${folder.mediaType}) then 'other_media_type'
          when ${taken(scope, folder.parentId, { id, name, mediaType: sql`${folder.mediaType}` })} then 'name_taken'
          when (select count(*) from above) >= ${DEPTH_AT_MOST} then 'too_deep'
          else 'done' end as outcome
      ), made as (
        insert into folders (id, owner_id, workspace_id, name, media_type, parent_folder_id, created_at, updated_at)
        select ${id}, ${scope.ownerId}::uuid, ${scope.workspaceId}::uuid, ${name}, ${folder.mediaType},
          ${folder.parentId}::uuid, ${at}::timestamptz, ${at}::timestamptz
        from verdict where outcome = 'done' on conflict (id) do nothing
      )
      select outcome from verdict`),
    db.execute(selectFolder(scope, folder.id)),
  ]);
  const made = changed(decided, stored);
  if (!made) throw new Error("A folder was inserted and is not there.");
  return made;
}

/** Moves a folder with all that is under it; null when no such folder is in scope. */
export async function move(
  db: Db,
  scope: Scope,
  id: string,
  parentId: string | null,
  now: Date,
): Promise<Changed | null> {
  const [, decided, stored] = await db.batch([
    db.execute(lockTreeOf(scope, id)),
    db.execute(sql`
      with recursive it as (
        select f.id, f.name, f.media_type from folders f where f.scope_id = ${scope.id} and f.id = ${id}
      ), ${above(scope, parentId)}, under as (
        select it.id, 1 as levels from it
        union all
        select c.id, u.levels + 1 from under u join folders c on c.parent_folder_id = u.id
      ), verdict as (
        select it.id, case
          when ${parentId}::uuid is not null and not exists (select 1 from above) then 'no_parent'
          when exists (select 1 from above where media_type <> it.media_type) then 'other_media_type'
          when it.id = ${parentId}::uuid then 'into_itself'
          when exists (select 1 from above where id = it.id) then 'into_its_own'
          when ${taken(scope, parentId, { id: sql`it.id`, name: sql`it.name`, mediaType: sql`it.media_type` })}
            then 'name_taken'
          when (select count(*) from above) + (select max(levels) from under) > ${DEPTH_AT_MOST} then 'too_deep'
          else 'done' end as outcome
        from it
      ), moved as (
        update folders f set parent_folder_id = ${parentId}::uuid, updated_at = ${now.toISOString()}::timestamptz
        from verdict v
        where v.outcome = 'done' and f.id = v.id and f.parent_folder_id is distinct from ${parentId}::uuid
      )
      select outcome from verdict`),
    db.execute(selectFolder(scope, id)),
  ]);
  return changed(decided, stored);
}

/** Takes what is under it and every membership along, by cascade; false when no such folder is in scope. */
export async function remove(db: Db, scope: Scope, id: string): Promise<boolean> {
  const [, gone] = await db.batch([
    db.execute(lockTreeOf(scope, id)),
    db.execute(sql`delete from folders f where f.scope_id = ${scope.id} and f.id = ${id} returning f.id`),
  ]);
  return gone.rows.length > 0;
}
