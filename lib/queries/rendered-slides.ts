// Files that are rendered slides. The id is derived from the render hash and the place of the slide, so that an unchanged
// slide has the same file.
import { and, inArray, sql } from "drizzle-orm";
import { files, objectDeletions } from "../../drizzle/schema/files.ts";
import type { Db } from "../services/database.ts";
import type { Scope } from "../shared/scope.ts";
import type { FileRow } from "./files.ts";
import type { ObjectDeletion } from "./object-deletions.ts";
import { inScope } from "./scope.ts";

export type RenderedSlideRow = Pick<FileRow, "id" | "objectKey" | "url" | "contentType" | "size" | "sha256"> &
  Pick<FileRow, "width" | "height" | "createdAt">;

const { id, objectKey, url, contentType, size, sha256, width, height, createdAt } = files;
const COLUMNS = { id, objectKey, url, contentType, size, sha256, width, height, createdAt };

/** Finds the existing files with these ids. */
export async function findRenderedSlides(db: Db, scope: Scope, ids: string[]): Promise<RenderedSlideRow[]> {
  return select(db, scope, ids);
}

/** Plans the deletion of objects, which is skipped if a file has the object by then. Rendering a slide again postpones it. */
export async function scheduleObjectDeletions(db: Db, planned: ObjectDeletion[]): Promise<void> {
  await db
    .insert(objectDeletions)
    .values(planned)
    .onConflictDoUpdate({
      target: [objectDeletions.bucket, objectDeletions.objectKey],
      set: { dueAt: sql`excluded.due_at` },
    });
}

/** Inserts all files in one statement and returns the stored rows; existing rows of concurrent requests are kept. */
export async function insertRenderedSlides(
  db: Db,
  scope: Scope,
  slides: RenderedSlideRow[],
): Promise<RenderedSlideRow[]> {
  const rows = slides.map(
    (slide): FileRow => ({
      ...slide,
      ownerId: scope.ownerId,
      workspaceId: scope.workspaceId,
      kind: "image",
      origin: "render",
      filename: slide.objectKey.split("/").at(-1) ?? slide.objectKey,
      durationMs: null,
      hasVideo: false,
      hasAudio: false,
      details: { width: slide.width, height: slide.height, orientation: 1, frames: 1 },
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
    .select(COLUMNS)
    .from(files)
    .where(and(inScope(files, scope), inArray(files.id, ids)));
}
