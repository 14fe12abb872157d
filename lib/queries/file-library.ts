// Files as people look for them: one folder or all of them, by name, kind and source, with the folders beside them. The page
// takes one round trip, whatever it shows.
import { and, asc, count, desc, eq, inArray, ne, type SQL, sql, sum } from "drizzle-orm";
import { alias } from "drizzle-orm/pg-core";
import { editorProjects as projects } from "../../drizzle/schema/editor.ts";
import { files } from "../../drizzle/schema/files.ts";
import { folderItems, folders } from "../../drizzle/schema/folders.ts";
import { posts } from "../../drizzle/schema/posts.ts";
import type { ReadOnlyDb } from "../services/database.ts";
import { at } from "../shared/at.ts";
import type { Scope } from "../shared/scope.ts";
import { selectMediaUrls } from "./editable-posts.ts";
import { type FileRow, isInLibrary, usesUrl } from "./files.ts";
import { listFolderAncestors, listFolders, selectFolder } from "./folders.ts";
import { type Read, readAll, readFirst, readRows } from "./read.ts";
import { inScope } from "./scope.ts";
import { qualified, type RowOf, rawQuery } from "./sql.ts";

/** More folders than this in one folder are not shown. */
const MAX_SUBFOLDERS = 200;
const MAX_FOLDER_CHOICES = 500;
const MAX_USES = 10;
/** The id of no folder. */
const NO_FOLDER = "00000000-0000-0000-0000-000000000000";

const { id, url, kind, origin, filename, size, durationMs, width, height, createdAt } = files;
const COLUMNS = { id, url, kind, origin, filename, size, durationMs, width, height, createdAt };
export type LibraryFile = RowOf<typeof COLUMNS>;

export const SHAPES = ["portrait", "landscape", "square"] as const;
export type Shape = (typeof SHAPES)[number];

const HAS_SHAPE: Record<Shape, SQL> = {
  portrait: sql`${height} > ${width}`,
  landscape: sql`${width} > ${height}`,
  square: sql`${width} = ${height}`,
};

export const LIBRARY_ORDERS = ["newest", "oldest", "name", "largest"] as const;
export type LibraryOrder = (typeof LIBRARY_ORDERS)[number];

const ORDERS: Record<LibraryOrder, SQL[]> = {
  newest: [desc(createdAt), desc(id)],
  oldest: [asc(createdAt), asc(id)],
  name: [sql`lower(${filename})`, asc(id)],
  largest: [desc(size), desc(id)],
};

export interface LibraryFilter {
  /** The open folder; null at the root, which shows the files that are in no folder. */
  folderId: string | null;
  /** Looks in every folder. */
  everywhere: boolean;
  kind?: FileRow["kind"] | undefined;
  source?: "upload" | "ai" | undefined;
  shape?: Shape | undefined;
  /** Only files that are media of a post, or only the others. */
  use?: "used" | "unused" | undefined;
  /** A part of the name, in any case. */
  search: string;
  order: LibraryOrder;
  limit: number;
  offset: number;
}

/** The files of a folder that match, its subfolders, the way to it, and the storage that is used; null if it is not in scope. */
export async function findLibrary(db: ReadOnlyDb, scope: Scope, filter: LibraryFilter) {
  const { folderId, order, limit, offset } = filter;
  const where = toCondition(db, scope, filter);
  const [rows, counts, usage, subfolders, folder, ancestors, paths] = await readAll(db, [
    readRows(
      db,
      db
        .select(COLUMNS)
        .from(files)
        .where(where)
        .orderBy(...ORDERS[order])
        .limit(limit)
        .offset(offset),
    ),
    readRows(db, db.select({ total: count() }).from(files).where(where)),
    readRows(
      db,
      db
        .select({ bytes: sum(size).mapWith(Number), total: count() })
        .from(files)
        .where(isInLibrary(scope)),
    ),
    listFolders(db, scope, { mediaType: "upload", parent: folderId ?? "root", limit: MAX_SUBFOLDERS, offset: 0 }),
    readFirst(db, selectFolder(db, scope, folderId ?? NO_FOLDER)),
    listFolderAncestors(db, scope, folderId ?? NO_FOLDER),
    listFolderPaths(db, scope),
  ]);
  if (folderId !== null && folder?.mediaType !== "upload") return null;
  return {
    files: rows,
    total: at(counts, 0).total,
    usage: at(usage, 0),
    folders: (subfolders?.rows ?? []).toSorted((a, b) => a.name.localeCompare(b.name)),
    folder,
    ancestors: ancestors ?? [],
    paths,
  };
}

function toCondition(db: ReadOnlyDb, scope: Scope, filter: LibraryFilter) {
  const { folderId, everywhere, kind, source, shape, use, search } = filter;
  const items = db.select({ id: folderItems.fileId }).from(folderItems).where(eq(folderItems.fileId, files.id));
  const inFolder = db
    .select({ id: folderItems.fileId })
    .from(folderItems)
    .where(eq(folderItems.folderId, folderId ?? NO_FOLDER));
  return and(
    isInLibrary(scope),
    everywhere
      ? undefined
      : folderId === null
        ? sql`not exists ${qualified(sql`${items}`)}`
        : inArray(files.id, inFolder),
    kind && eq(files.kind, kind),
    source && (source === "ai" ? ne(files.origin, "upload") : eq(files.origin, "upload")),
    shape && HAS_SHAPE[shape],
    use && sql`${url} ${use === "unused" ? sql`not in` : sql`in`} (${selectUsedUrls(scope)})`,
    search ? sql`strpos(lower(${filename}), lower(${search})) > 0` : undefined,
  );
}

/** The media of all posts of a scope, read once for all files. */
const selectUsedUrls = (scope: Scope) => sql`select used.url from ${posts}
  cross join lateral (${selectMediaUrls}) used (url) where ${inScope(posts, scope)} and used.url is not null`;

/** The newest files, to choose from. */
export function listRecentFiles(db: ReadOnlyDb, scope: Scope, limit: number) {
  return readRows(
    db,
    db
      .select(COLUMNS)
      .from(files)
      .where(isInLibrary(scope))
      .orderBy(...ORDERS.newest)
      .limit(limit),
  );
}

export function listFilesById(db: ReadOnlyDb, scope: Scope, ids: string[]) {
  return readRows(
    db,
    db
      .select(COLUMNS)
      .from(files)
      .where(and(isInLibrary(scope), inArray(files.id, ids))),
  );
}

/** The ids of all folders that have one of the files. */
export async function listFoldersOfFiles(db: ReadOnlyDb, scope: Scope, fileIds: string[]): Promise<string[]> {
  const rows = await db
    .selectDistinct({ id: folders.id })
    .from(folderItems)
    .innerJoin(folders, eq(folders.id, folderItems.folderId))
    .where(and(inScope(folders, scope), inArray(folderItems.fileId, fileIds)));
  return rows.map(({ id }) => id);
}

const child = alias(folders, "child");
const PATH_COLUMNS = {
  id: sql<string>`tree.id`,
  path: sql<string>`tree.path`,
  /** The folder itself and its ancestors. */
  lineage: sql<string[]>`array_to_json(tree.lineage)`,
};
export type FolderPath = RowOf<typeof PATH_COLUMNS>;

/** Every folder of files by its path, such as `Autumn / Pier`, to choose from. */
function selectFolderPaths(db: ReadOnlyDb, scope: Scope) {
  return rawQuery(
    db,
    PATH_COLUMNS,
    (list) => sql`
      with recursive tree as (
        select ${folders.id}, ${folders.name} as path, array[${folders.id}] as lineage from ${folders}
        where ${inScope(folders, scope)} and ${folders.mediaType} = 'upload' and ${folders.parentId} is null
        union all
        select ${child.id}, tree.path || ' / ' || ${child.name}, tree.lineage || ${child.id}
        from tree join ${folders} ${child} on ${child.parentId} = tree.id
      )
      select ${list} from tree order by lower(tree.path) limit ${MAX_FOLDER_CHOICES}`,
  );
}

export function listFolderPaths(db: ReadOnlyDb, scope: Scope): Read<FolderPath[]> {
  return readRows(db, selectFolderPaths(db, scope));
}

/** The posts, projects and folders that use a file, at most ten of each. */
export function findFileUses(db: ReadOnlyDb, scope: Scope, fileId: string) {
  const ownFile = and(isInLibrary(scope), eq(files.id, fileId));
  return readAll(db, [
    readRows(
      db,
      db
        .select({ id: posts.id, caption: posts.caption, status: posts.status })
        .from(posts)
        .innerJoin(files, and(ownFile, usesUrl(sql`${files.url}`)))
        .where(inScope(posts, scope))
        .orderBy(desc(posts.createdAt))
        .limit(MAX_USES),
    ),
    readRows(
      db,
      db
        .select({ id: projects.id, title: projects.title })
        .from(projects)
        .where(
          and(
            inScope(projects, scope),
            sql`${projects.document}->'assets' @> ${JSON.stringify([{ file_id: fileId }])}::jsonb`,
          ),
        )
        .orderBy(desc(projects.updatedAt))
        .limit(MAX_USES),
    ),
    readRows(
      db,
      db
        .select({ id: folders.id, name: folders.name })
        .from(folderItems)
        .innerJoin(folders, eq(folders.id, folderItems.folderId))
        .where(and(eq(folderItems.fileId, fileId), inScope(folders, scope)))
        .limit(MAX_USES),
    ),
  ]);
}
