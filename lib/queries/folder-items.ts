// Items of folders: files of the folder's media type, or slideshows.
import { and, count, desc, eq, isNotNull, lt, type SQL, sql } from "drizzle-orm";
import { alias, type PgColumn } from "drizzle-orm/pg-core";
import { files } from "../../drizzle/schema/files.ts";
import { folderItems, folders } from "../../drizzle/schema/folders.ts";
import { slideshows } from "../../drizzle/schema/slideshows.ts";
import type { Db, ReadOnlyDb } from "../services/database.ts";
import type { Scope } from "../shared/scope.ts";
import type { MediaType } from "./folders.ts";
import { toPage } from "./paging.ts";
import { type Read, toRead } from "./read.ts";
import { inScope } from "./scope.ts";
import { LIST_COLUMNS as SLIDESHOW_COLUMNS } from "./slideshows.ts";
import { columnNames, instant, jsonList, type RowOf, rawQuery, uuidArray } from "./sql.ts";

export interface ItemPaging {
  limit: number;
  offset: number;
  /** The id of the last item of the page before. */
  cursor?: string | undefined;
}

const item = alias(folderItems, "item");
const { id, url, contentType, filename, size, origin, createdAt } = files;
const FILE_COLUMNS = { id, url, contentType, filename, size, origin, createdAt, addedAt: item.addedAt };

const SLIDESHOW_ITEM_COLUMNS = { ...SLIDESHOW_COLUMNS, addedAt: item.addedAt };

export type ItemPage = { total: number; nextCursor: string | null } & (
  | { mediaType: "slideshow"; items: RowOf<typeof SLIDESHOW_ITEM_COLUMNS>[] }
  | { mediaType: Exclude<MediaType, "slideshow">; items: RowOf<typeof FILE_COLUMNS>[] }
);

const isOwn = (scope: Scope, folderId: string): SQL | undefined =>
  and(inScope(folders, scope), eq(folders.id, folderId));

/** One page, newest first, the total count and the cursor of the next page; null if the folder is not in scope. */
export function listFolderItems(
  db: ReadOnlyDb,
  scope: Scope,
  folderId: string,
  { limit, offset, cursor }: ItemPaging,
): Read<ItemPage | null> {
  const inFolder = eq(folderItems.folderId, folders.id);
  const pageBy = (itemId: PgColumn) =>
    db
      .select()
      .from(folderItems)
      .where(and(inFolder, isNotNull(itemId), cursor ? lt(itemId, cursor) : undefined))
      .orderBy(desc(itemId))
      .limit(limit + 1)
      .offset(offset);
  const query = db
    .select({
      mediaType: folders.mediaType,
      total: sql<number>`${db.select({ n: count() }).from(folderItems).where(inFolder)}::int`,
      slideshows: jsonList(SLIDESHOW_ITEM_COLUMNS, {
        from: sql`from ${pageBy(folderItems.slideshowId)} ${item}
            join ${slideshows} on ${slideshows.id} = ${item.slideshowId}`,
        orderBy: sql`${slideshows.id} desc`,
      }),
      files: jsonList(FILE_COLUMNS, {
        from: sql`from ${pageBy(folderItems.fileId)} ${item} join ${files} on ${id} = ${item.fileId}`,
        orderBy: sql`${id} desc`,
      }),
    })
    .from(folders)
    .where(isOwn(scope, folderId));
  return toRead(db, [query], ([[row]]) => {
    if (!row) return null;
    const { mediaType, total } = row;
    const toId = ({ id }: { id: string }) => [id];
    if (mediaType === "slideshow") {
      const { rows: items, nextCursor } = toPage(row.slideshows, limit, toId);
      return { mediaType, total, items, nextCursor };
    }
    const { rows: items, nextCursor } = toPage(row.files, limit, toId);
    return { mediaType, total, items, nextCursor };
  });
}

export interface FolderItemsResult {
  mediaType: MediaType;
  /** Ids without an item of the folder's media type in scope. If there are any, nothing was added. */
  missing: string[];
  added: number;
}

/** Locks the row of the folder, as every change of its items and its deletion do. */
const lockFolder = (db: Db, scope: Scope, folderId: string) =>
  sql`folder as ${db
    .select({ id: folders.id, mediaType: folders.mediaType })
    .from(folders)
    .where(isOwn(scope, folderId))
    .for("no key update")}`;

const mediaTypeOfFolder = sql<MediaType>`folder.media_type`;

/**
 * Adds all items or none. The row of the folder is locked, so that changes of its items and its deletion wait; the items
 * are locked FOR KEY SHARE, so that only their deletion waits until they are added.
 */
export async function insertFolderItems(
  db: Db,
  scope: Scope,
  folderId: string,
  ids: string[],
  now: Date,
): Promise<FolderItemsResult | null> {
  const [row] = await rawQuery(
    db,
    {
      mediaType: mediaTypeOfFolder,
      missing: sql<string[]>`array_to_json(array(select id from missing_ids))`,
      added: sql<number>`(select count(*)::int from new_items)`,
    },
    (list) => sql`
      with ${lockFolder(db, scope, folderId)}, locked_files as ${lockFiles(db, scope, ids)},
        locked_slideshows as ${lockSlideshows(db, scope, ids)},
        missing_ids as (
          select id from unnest(${uuidArray(ids)}) id
          except select id from locked_files except select id from locked_slideshows
        ), new_items as (${insertItems(now)})
      select ${list} from folder`,
  );
  return row ?? null;
}

const lockFiles = (db: Db, scope: Scope, ids: string[]) =>
  db
    .select({ id })
    .from(files)
    .where(
      sql`${id} = any(${uuidArray(ids)}) and ${inScope(files, scope)}
        and ${files.origin} = (select media_type from folder)`,
    )
    .for("key share");

const lockSlideshows = (db: Db, scope: Scope, ids: string[]) =>
  db
    .select({ id: slideshows.id })
    .from(slideshows)
    .where(
      sql`${slideshows.id} = any(${uuidArray(ids)}) and ${inScope(slideshows, scope)}
        and (select media_type from folder) = 'slideshow'`,
    )
    .for("key share");

function insertItems(now: Date): SQL {
  const { folderId, fileId, slideshowId, addedAt } = folderItems;
  return sql`
    insert into ${folderItems} (${columnNames([folderId, fileId, slideshowId, addedAt])})
    select folder.id, item.file_id, item.slideshow_id, ${instant(now)}
    from folder, (
      select id as file_id, null::uuid as slideshow_id from locked_files
      union all select null, id from locked_slideshows
    ) item
    where not exists (select 1 from missing_ids)
    on conflict do nothing returning 1`;
}

/** Ignores ids that are not in the folder; null if the folder is not in scope. */
export async function deleteFolderItems(
  db: Db,
  scope: Scope,
  folderId: string,
  ids: string[],
): Promise<{ mediaType: MediaType; removed: number } | null> {
  const { fileId, slideshowId } = folderItems;
  const deletion = db
    .delete(folderItems)
    .where(
      sql`${folderItems.folderId} = (select id from folder)
        and (${fileId} = any(${uuidArray(ids)}) or ${slideshowId} = any(${uuidArray(ids)}))`,
    )
    .returning({ folderId: folderItems.folderId });
  const [row] = await rawQuery(
    db,
    { mediaType: mediaTypeOfFolder, removed: sql<number>`(select count(*)::int from deleted_items)` },
    (list) => sql`with ${lockFolder(db, scope, folderId)}, deleted_items as ${deletion} select ${list} from folder`,
  );
  return row ?? null;
}
