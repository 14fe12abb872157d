// Files that are drawn slides. The id of one follows from what it shows, so a slide that did not change finds its own.
import { and, eq, inArray, sql } from "drizzle-orm";
import { files, removals } from "../../drizzle/schema/files.ts";
import type { Db } from "../db.ts";
import type { Scope } from "../scope.ts";
import type { FileRow } from "./files.ts";
import type { Removal } from "./removals.ts";

export type PictureRow = Pick<FileRow, "id" | "objectKey" | "url" | "contentType" | "size" | "sha256"> &
  Pick<FileRow, "width" | "height" | "createdAt">;

/** Those of the pictures that exist. */
export async function find(db: Db, scope: Scope, ids: string[]): Promise<{ id: string; url: string }[]> {
  return select(db, scope, ids);
}

/** Plans that their objects go, unless a file has them by then. One that is drawn again gets its time anew. */
export async function planRemovals(db: Db, planned: Removal[]): Promise<void> {
  await db
    .insert(removals)
    .values(planned)
    .onConflictDoUpdate({ target: [removals.bucket, removals.objectKey], set: { dueAt: sql`excluded.due_at` } });
}

/** All of them at once. Answers what is stored: one that somebody else has drawn meanwhile stays. */
export async function insert(db: Db, scope: Scope, pictures: PictureRow[]): Promise<{ id: string; url: string }[]> {
  const rows = pictures.map(
    (picture): FileRow => ({
      ...picture,
      ownerId: scope.ownerId,
      workspaceId: scope.workspaceId,
      kind: "image",
      origin: "render",
      filename: picture.objectKey.split("/").at(-1) ?? picture.objectKey,
      durationMs: null,
      hasVideo: false,
      hasAudio: false,
      details: { width: picture.width, height: picture.height, orientation: 1, frames: 1 },
    }),
  );
  const [, stored] = await db.batch([
    db.insert(files).values(rows).onConflictDoNothing(),
    select(
      db,
      scope,
      rows.map(({ id }) => id),
    ),
  ]);
  return stored;
}

function select(db: Db, scope: Scope, ids: string[]) {
  return db
    .select({ id: files.id, url: files.url })
    .from(files)
    .where(and(eq(files.scopeId, scope.id), inArray(files.id, ids)));
}
