// The tree of folders per scope and media type, read in one statement.
import { and, count, desc, eq, isNull, type SQL, sql } from "drizzle-orm";
import { alias } from "drizzle-orm/pg-core";
import { files } from "../../drizzle/schema/files.ts";
import { folderItems, folders } from "../../drizzle/schema/folders.ts";
import { slideshows } from "../../drizzle/schema/slideshows.ts";
import type { ReadOnlyDb } from "../services/database.ts";
import { at } from "../shared/at.ts";
import type { Scope } from "../shared/scope.ts";
import { isAfterCursor, type Paging, toPage, toRowPosition } from "./paging.ts";
import { type Read, readFirst, toRead } from "./read.ts";
import { inScope } from "./scope.ts";
import { jsonList, nullable, qualified, type RowOf, rawQuery, required } from "./sql.ts";

const MAX_PREVIEWS = 4;

export type MediaType = typeof folders.$inferSelect.mediaType;

const parent = alias(folders, "parent");
const sibling = alias(folders, "sibling");

/** The names from the root down to the folder. */
const path = sql<string>`(
  with recursive paths as (
    select ${folders.parentId} as parent_id, '/' || ${folders.name} as path
    union all
    select ${parent.parentId}, '/' || ${parent.name} || paths.path
    from paths join ${folders} ${parent} on ${parent.id} = paths.parent_id
  ) select path from paths where parent_id is null)`;

const newSlideshow = alias(slideshows, "new_slideshow");
const newFile = alias(files, "new_file");

/** The newest slideshows that have a preview, with the content type of previews that are files of the scope. */
const slideshowPreviews = jsonList(
  { id: newSlideshow.id, url: required(newSlideshow.previewImageUrl), contentType: nullable(files.contentType) },
  {
    from: sql`from (
      select ${slideshows.id}, ${slideshows.previewImageUrl}
      from ${folderItems} join ${slideshows} on ${slideshows.id} = ${folderItems.slideshowId}
      where ${folderItems.folderId} = ${folders.id} and ${slideshows.previewImageUrl} is not null
      order by ${folderItems.slideshowId} desc limit ${MAX_PREVIEWS}
    ) ${newSlideshow} left join ${files}
      on ${files.scopeId} = ${folders.scopeId} and ${files.url} = ${newSlideshow.previewImageUrl}`,
    orderBy: sql`${newSlideshow.id} desc`,
  },
);

const filePreviews = jsonList(
  { id: newFile.id, url: newFile.url, contentType: newFile.contentType },
  {
    from: sql`from (
      select ${files.id}, ${files.url}, ${files.contentType}
      from ${folderItems} join ${files} on ${files.id} = ${folderItems.fileId}
      where ${folderItems.folderId} = ${folders.id} order by ${folderItems.fileId} desc limit ${MAX_PREVIEWS}
    ) ${newFile}`,
    orderBy: sql`${newFile.id} desc`,
  },
);

interface Preview {
  id: string;
  url: string;
  contentType: string | null;
}

/** The folder with its counts and previews; each part uses an index, so that a page costs no more than its rows. */
const COLUMNS = {
  id: folders.id,
  name: folders.name,
  mediaType: folders.mediaType,
  parentId: folders.parentId,
  createdAt: folders.createdAt,
  updatedAt: folders.updatedAt,
  path: qualified(path),
  fileCount: qualified(
    sql<number>`(select count(*)::int from ${folderItems} where ${folderItems.folderId} = ${folders.id})`,
  ),
  subfolderCount: qualified(
    sql<number>`(select count(*)::int from ${folders} ${sibling} where ${sibling.parentId} = ${folders.id})`,
  ),
  previews: qualified(
    sql<Preview[]>`case when ${folders.mediaType} = 'slideshow' then ${slideshowPreviews} else ${filePreviews} end`,
  ),
};
export type StoredFolder = RowOf<typeof COLUMNS>;

export const isOwnFolder = (scope: Scope, id: string): SQL | undefined =>
  and(inScope(folders, scope), eq(folders.id, id));

export const selectFolder = (db: ReadOnlyDb, scope: Scope, id: string) =>
  db.select(COLUMNS).from(folders).where(isOwnFolder(scope, id));

export function findFolder(db: ReadOnlyDb, scope: Scope, id: string): Read<StoredFolder | null> {
  return readFirst(db, selectFolder(db, scope, id));
}

export interface FolderFilter extends Paging {
  mediaType?: MediaType | undefined;
  /** The id of the parent, or `root`; absent for the folders of every level. */
  parent?: string | undefined;
}

/** One page, newest first, the total count and the cursor of the next page; null if `parent` is not in scope. */
export function listFolders(
  db: ReadOnlyDb,
  scope: Scope,
  { mediaType, parent: parentId, limit, offset, cursor }: FolderFilter,
): Read<{ rows: StoredFolder[]; total: number; nextCursor: string | null } | null> {
  const isUnder = parentId === "root" ? isNull(folders.parentId) : parentId && eq(folders.parentId, parentId);
  const where = and(
    inScope(folders, scope),
    mediaType && eq(folders.mediaType, mediaType),
    isUnder ? isUnder : undefined,
  );
  const newest = [desc(folders.createdAt), desc(folders.id)];
  const page = db
    .select()
    .from(folders)
    .where(and(where, isAfterCursor(folders.createdAt, folders.id, cursor)))
    .orderBy(...newest)
    .limit(limit + 1)
    .offset(offset);
  const needsParent = parentId !== undefined && parentId !== "root";
  return toRead(
    db,
    [
      // The page is limited before counts and previews are computed.
      rawQuery(
        db,
        COLUMNS,
        (list) => sql`select ${list} from ${page} ${folders} order by ${sql.join(newest, sql`, `)}`,
      ),
      db.select({ total: count() }).from(folders).where(where),
      db
        .select({ id: folders.id })
        .from(folders)
        .where(needsParent ? isOwnFolder(scope, parentId) : sql`false`),
    ],
    ([rows, counts, known]) => {
      if (needsParent && known.length === 0) return null;
      return { ...toPage(rows, limit, toRowPosition), total: at(counts, 0).total };
    },
  );
}

const ANCESTOR_COLUMNS = { id: folders.id, name: folders.name, parentId: folders.parentId };
export type Ancestor = RowOf<typeof ANCESTOR_COLUMNS> & { depth: number };

/** From the root down to the parent; null when no such folder is in scope. */
export function listFolderAncestors(db: ReadOnlyDb, scope: Scope, id: string): Read<Ancestor[] | null> {
  const query = rawQuery(
    db,
    { ...ANCESTOR_COLUMNS, depth: sql<number>`(row_number() over (order by above desc))::int` },
    (list) => sql`
      with recursive path_folders as (
        select ${folders.id}, ${folders.name}, ${folders.parentId}, 0 as above from ${folders} where ${isOwnFolder(scope, id)}
        union all
        select ${parent.id}, ${parent.name}, ${parent.parentId}, folders.above + 1
        from path_folders ${folders} join ${folders} ${parent} on ${parent.id} = ${folders.parentId}
      )
      select ${list} from path_folders ${folders} order by depth`,
  );
  return toRead(db, [query], ([rows]) => (rows.length === 0 ? null : rows.slice(0, -1)));
}
