// Finalized files of a scope.
import { and, desc, eq, inArray, ne, type SQL, sql } from "drizzle-orm";
import { files, objectDeletions, uploads } from "../../drizzle/schema/files.ts";
import { folderItems, folders } from "../../drizzle/schema/folders.ts";
import { posts } from "../../drizzle/schema/posts.ts";
import type { FileContext } from "../schemas/file.ts";
import type { Db, ReadOnlyDb } from "../services/database.ts";
import { at } from "../shared/at.ts";
import type { Scope } from "../shared/scope.ts";
import { selectMediaUrls } from "./editable-posts.ts";
import type { ObjectDeletion } from "./object-deletions.ts";
import { isAfterCursor, type Paging, toPage, toRowPosition } from "./paging.ts";
import { type Read, readFirst, toRead } from "./read.ts";
import { inScope } from "./scope.ts";
import { columnName, columnNames, excluded, instant, rawQuery, typedAs } from "./sql.ts";

export type FileRow = Omit<typeof files.$inferSelect, "scopeId">;

/** Finds the files with these URLs. */
export function findFilesByUrl(db: ReadOnlyDb, scope: Scope, urls: string[]) {
  return db
    .select()
    .from(files)
    .where(and(inScope(files, scope), inArray(files.url, urls)));
}

/** Files of the media library: uploads and generated files, but no rendered slides. */
export const isInLibrary = (scope: Scope) => and(inScope(files, scope), ne(files.origin, "render"));

export function findFile(db: ReadOnlyDb, scope: Scope, id: string): Read<FileRow | null> {
  return readFirst(
    db,
    db
      .select()
      .from(files)
      .where(and(isInLibrary(scope), eq(files.id, id))),
  );
}

const { id, url, contentType, filename, size, origin, createdAt } = files;
/** A list shows these columns of a file. */
const FILE_COLUMNS = { id, url, contentType, filename, size, origin, createdAt };

/** The origins of the files of each context. */
const ORIGINS: Record<FileContext, FileRow["origin"][]> = {
  "media-upload": ["upload"],
  "ai-studio": ["ai_image", "ai_video"],
  all: ["upload", "ai_image", "ai_video"],
};

/** A file with the context that lists select it by. */
export function withContext<File extends Pick<FileRow, "origin">>(file: File) {
  const context = ORIGINS["ai-studio"].includes(file.origin) ? ("ai-studio" as const) : ("media-upload" as const);
  return { ...file, context };
}

export interface FileFilter extends Paging {
  context?: FileContext[] | undefined;
  type?: FileRow["kind"] | undefined;
  folder_id?: string | undefined;
}

/** One page of files, newest first, the total count and the cursor of the next page; null if the folder is not in scope. */
export function listFiles(
  db: ReadOnlyDb,
  scope: Scope,
  { context = ["all"], type, folder_id: folder, limit, offset, cursor }: FileFilter,
) {
  const inFolder = folder
    ? inArray(files.id, db.select({ id: folderItems.fileId }).from(folderItems).where(eq(folderItems.folderId, folder)))
    : undefined;
  const origins = [...new Set(context.flatMap((name) => ORIGINS[name]))];
  const wanted = and(inScope(files, scope), type ? eq(files.kind, type) : undefined, inFolder);
  const newest = [desc(files.createdAt), desc(files.id)];
  // Each part of the union uses its own range of the index and reads at most offset + limit + 1 rows.
  const parts = origins.map(
    (origin) =>
      sql`(${db
        .select()
        .from(files)
        .where(and(eq(files.origin, origin), wanted, isAfterCursor(files.createdAt, files.id, cursor)))
        .orderBy(...newest)
        .limit(limit + offset + 1)})`,
  );
  return toRead(
    db,
    [
      rawQuery(
        db,
        FILE_COLUMNS,
        (list) => sql`
        select ${list} from (${sql.join(parts, sql` union all `)}) ${files}
        order by ${sql.join(newest, sql`, `)} limit ${limit + 1} offset ${offset}`,
      ),
      db
        .select({ total: sql<number>`count(*)::int` })
        .from(files)
        .where(and(inArray(files.origin, origins), wanted)),
      db
        .select({ id: folders.id })
        .from(folders)
        .where(folder ? and(inScope(folders, scope), eq(folders.id, folder)) : sql`false`),
    ],
    ([rows, counts, known]) => {
      if (folder && known.length === 0) return null;
      return { ...toPage(rows.map(withContext), limit, toRowPosition), total: at(counts, 0).total };
    },
  );
}

export interface FileDeletion {
  /** The planned removal of the object. Meaningless if `usedBy` is not empty. */
  objectDeletion: ObjectDeletion;
  /** Up to 3 unpublished posts that use the file, by their ids. If there are any, nothing was deleted. */
  usedBy: string[];
}

const MAX_POSTS_NAMED = 3;
const UNSEEN_POST = "one that the key does not see";

/** Deletes a file and its upload, and plans the removal of its object; null when no such file is in scope. */
export async function deleteFile(db: Db, scope: Scope, id: string, now: Date): Promise<FileDeletion | null> {
  const target = db
    .select({ id: files.id, url: files.url, objectKey: files.objectKey })
    .from(files)
    .where(and(isInLibrary(scope), eq(files.id, id)))
    .for("update");
  const usingPosts = db
    .select({ name: sql`case when ${inScope(posts, scope)} then ${posts.id}::text else ${UNSEEN_POST} end`.as("name") })
    .from(posts)
    .innerJoin(sql`target`, usesUrl(sql`target.url`))
    .where(and(inScope(posts, { id: scope.id }), inArray(posts.status, ["draft", "pending", "scheduled", "retry"])))
    .limit(MAX_POSTS_NAMED);
  const deleted = db
    .delete(files)
    .where(sql`${files.id} in (select id from target) and not exists (select 1 from using_posts)`)
    .returning({ id: files.id });
  const deletedUploads = db.delete(uploads).where(sql`${uploads.id} in (select id from deleted)`);
  const { bucket, objectKey: key, fileId, dueAt } = objectDeletions;
  const [row] = await rawQuery(
    db,
    {
      objectKey: typedAs(sql`target.object_key`, files.objectKey),
      usedBy: sql<string[]>`array(select name from using_posts)`,
    },
    (list) => sql`
      with target as ${target}, using_posts as ${usingPosts}, deleted as ${deleted}, deleted_uploads as ${deletedUploads}, planned as (
        insert into ${objectDeletions} (${columnNames([bucket, key, fileId, dueAt])})
        select 'files', target.object_key, deleted.id, ${instant(now)} from deleted join target using (id)
        on conflict (${columnNames([bucket, key])}) do update set ${columnName(dueAt)} = ${excluded(dueAt)}
      )
      select ${list} from target`,
  );
  if (!row) return null;
  const { objectKey, usedBy } = row;
  return { objectDeletion: { bucket: "files", objectKey, multipartId: null, fileId: id, dueAt: now }, usedBy };
}

/** Matches if a post uses this URL as media, cover, thumbnail or picture of a link. */
export function usesUrl(url: SQL): SQL {
  const { settings, link } = posts;
  return sql`(${url} in (${selectMediaUrls}) or ${link}->>'image_url' = ${url}
    or ${settings}->'instagram'->>'cover_url' = ${url} or ${settings}->'youtube'->'thumbnail'->>'path' = ${url})`;
}
