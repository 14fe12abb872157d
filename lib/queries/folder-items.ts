// What lies in folders: files of the folder's own kind, or slideshows.
import { sql } from "drizzle-orm";
import { type Db, rowsOf } from "../db.ts";
import type { FolderFile, FolderSlideshow, MediaType } from "../schemas/folder.ts";
import type { Scope } from "../scope.ts";
import { shown } from "./slideshows.ts";

const uuids = (ids: string[]) => sql`${`{${ids.join(",")}}`}::uuid[]`;

export interface Page {
  limit: number;
  offset: number;
}

type Listed = { total: number } & (
  | { mediaType: "slideshow"; items: FolderSlideshow[] }
  | { mediaType: Exclude<MediaType, "slideshow">; items: FolderFile[] }
);

/** One page, newest first, and how many there are; null when no such folder is in scope. */
export async function list(db: Db, scope: Scope, folderId: string, { limit, offset }: Page): Promise<Listed | null> {
  const found = await db.execute(sql`
    select f.media_type as "mediaType",
      (select count(*)::int from folder_items i where i.folder_id = f.id) as total,
      coalesce(case when f.media_type = 'slideshow' then (
        select jsonb_agg(jsonb_build_object('id', s.id, 'title', s.title, 'status', s.status,
            'slideshow_type', s.slideshow_type, 'product_id', s.product_id, 'slide_count', s.slide_count,
            'settings', s.settings, 'preview_image_url', s.preview_image_url, 'last_rendered_at', s.last_rendered_at,
            'created_at', s.created_at, 'updated_at', s.updated_at, 'added_at', p.created_at) order by s.id desc)
        from (
          select i.slideshow_id, i.created_at from folder_items i where i.folder_id = f.id
          order by i.slideshow_id desc limit ${limit} offset ${offset}
        ) p join slideshows s on s.id = p.slideshow_id
      ) else (
        select jsonb_agg(jsonb_build_object('id', x.id, 'url', x.url, 'contentType', x.content_type,
            'filename', x.filename, 'size', x.size, 'createdAt', x.created_at, 'added_at', p.created_at)
          order by x.id desc)
        from (
          select i.file_id, i.created_at from folder_items i where i.folder_id = f.id
          order by i.file_id desc limit ${limit} offset ${offset}
        ) p join files x on x.id = p.file_id
      ) end, '[]') as items
    from folders f where f.scope_id = ${scope.id} and f.id = ${folderId}`);
  const [row] = rowsOf<Listed>(found);
  if (row?.mediaType === "slideshow") return { ...row, items: row.items.map(shown) };
  return row ?? null;
}

export interface Added {
  mediaType: MediaType;
  /** Ids that are no item of the folder's kind in scope; when there is one, nothing was added. */
  missing: string[];
  added: number;
}

/*
 * All or nothing. The row of the folder is locked first, by every change of its items and by its deletion, so that none
 * of them meets another half way; the items are locked so that they are still there when they are added.
 */
export async function insert(db: Db, scope: Scope, folderId: string, ids: string[], now: Date): Promise<Added | null> {
  const done = await db.execute(sql`
    with folder as (
      select f.id, f.media_type from folders f where f.scope_id = ${scope.id} and f.id = ${folderId} for no key update
    ), files_found as (
      select x.id from files x where x.id = any(${uuids(ids)}) and x.scope_id = ${scope.id}
        and x.origin = (select media_type from folder) for key share
    ), slideshows_found as (
      select s.id from slideshows s where s.id = any(${uuids(ids)}) and s.scope_id = ${scope.id}
        and (select media_type from folder) = 'slideshow' for key share
    ), missing as (
      select id from unnest(${uuids(ids)}) id
      except select id from files_found except select id from slideshows_found
    ), added as (
      insert into folder_items (folder_id, file_id, slideshow_id, created_at)
      select folder.id, item.file_id, item.slideshow_id, ${now.toISOString()}::timestamptz
      from folder, (
        select id as file_id, null::uuid as slideshow_id from files_found
        union all select null, id from slideshows_found
      ) item
      where not exists (select 1 from missing)
      on conflict do nothing returning 1
    )
    select media_type as "mediaType", array_to_json(array(select id from missing)) as missing,
      (select count(*)::int from added) as added
    from folder`);
  const [row] = rowsOf<Added>(done);
  return row ?? null;
}

/** Ids that do not lie in the folder are passed over; null when no such folder is in scope. */
export async function remove(
  db: Db,
  scope: Scope,
  folderId: string,
  ids: string[],
): Promise<{ mediaType: MediaType; removed: number } | null> {
  const done = await db.execute(sql`
    with folder as (
      select f.id, f.media_type from folders f where f.scope_id = ${scope.id} and f.id = ${folderId} for no key update
    ), gone as (
      delete from folder_items i using folder
      where i.folder_id = folder.id and (i.file_id = any(${uuids(ids)}) or i.slideshow_id = any(${uuids(ids)}))
      returning 1
    )
    select media_type as "mediaType", (select count(*)::int from gone) as removed from folder`);
  const [row] = rowsOf<{ mediaType: MediaType; removed: number }>(done);
  return row ?? null;
}
