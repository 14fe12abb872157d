// Uploads: promises of bytes, from the start until each has become a file or come to nothing.
import { and, eq, isNull, sql } from "drizzle-orm";
import { files, uploads } from "../../drizzle/schema/files.ts";
import type { Db } from "../db.ts";
import type { Scope } from "../scope.ts";
import type { FileRow } from "./files.ts";
import { planRemoval } from "./removals.ts";

export type UploadRow = Omit<typeof uploads.$inferSelect, "scopeId">;

/** An upload with the file that it became. */
export interface Found {
  upload: UploadRow;
  file: FileRow | null;
}

type Parts = Pick<UploadRow, "multipartId" | "partSize" | "partCount">;
type Started = Pick<UploadRow, "id" | "objectKey" | "contentType" | "filename" | "size" | "expiresAt" | "createdAt">;

/**
 * A new upload, and when its bytes go at the latest. The repeat of a start whose first execution broke draws the same
 * id: it gets what the first one stored.
 */
export async function insert(db: Db, scope: Scope, upload: Started & Parts, removeAt: Date): Promise<UploadRow> {
  const { ownerId, workspaceId } = scope;
  const bytes = { bucket: "uploads", objectKey: upload.objectKey, fileId: null, dueAt: removeAt } as const;
  const [, , [stored]] = await db.batch([
    db
      .insert(uploads)
      .values({ ...upload, ownerId, workspaceId, state: "open" })
      .onConflictDoNothing(),
    planRemoval(db, { ...bytes, multipartId: upload.multipartId }),
    db.select().from(uploads).where(mine(scope, upload.id)),
  ]);
  if (!stored) throw new Error("the upload that was just inserted is not there");
  return stored;
}

export async function find(db: Db, scope: Scope, id: string): Promise<Found | null> {
  const [row] = await selectFound(db, scope, id);
  return row ?? null;
}

/**
 * The verified file and the end of its upload, together. A second finalize finds the first one's file; null when the
 * upload was aborted, rejected or deleted while it was verified.
 */
export async function finish(db: Db, file: Omit<FileRow, "ownerId" | "workspaceId" | "contentType" | "filename">) {
  const [, [stored]] = await db.batch([
    db.execute(sql`
      with ended as (
        update uploads set state = 'finalized', updated_at = now() where id = ${file.id} and state = 'open' returning *
      )
      insert into files (id, owner_id, workspace_id, content_type, filename, object_key, url, kind, origin, size, sha256,
        width, height, duration_ms, has_video, has_audio, details, created_at)
      select id, owner_id, workspace_id, content_type, filename, ${file.objectKey}, ${file.url}, ${file.kind},
        ${file.origin}, ${file.size}::bigint, ${file.sha256}, ${file.width}::int, ${file.height}::int,
        ${file.durationMs}::int, ${file.hasVideo}::boolean, ${file.hasAudio}::boolean,
        ${JSON.stringify(file.details)}::jsonb, ${file.createdAt.toISOString()}::timestamptz
      from ended`),
    db.select().from(files).where(eq(files.id, file.id)),
  ]);
  return stored ?? null;
}

/** Keeps which list the parts were put together by; the first one stays. */
export async function keepList(db: Db, id: string, partsHash: string): Promise<void> {
  await db
    .update(uploads)
    .set({ partsHash })
    .where(and(eq(uploads.id, id), isNull(uploads.partsHash)));
}

export async function reject(db: Db, id: string, reason: string): Promise<void> {
  await db
    .update(uploads)
    .set({ state: "rejected", reason, updatedAt: sql`now()` })
    .where(and(eq(uploads.id, id), eq(uploads.state, "open")));
}

/** Ends an upload in parts unless it has ended; the upload as it then is, null when none with this id is in scope. */
export async function abort(db: Db, scope: Scope, id: string): Promise<Found | null> {
  const inParts = sql`${uploads.multipartId} is not null`;
  const [, [found]] = await db.batch([
    db
      .update(uploads)
      .set({ state: "aborted", updatedAt: sql`now()` })
      .where(and(mine(scope, id), inParts, eq(uploads.state, "open"))),
    selectFound(db, scope, id),
  ]);
  return found?.upload.multipartId ? found : null;
}

/** Forgets uploads that came to nothing and expired before an instant, the oldest first. */
export async function forget(db: Db, before: Date, most: number): Promise<void> {
  await db.execute(sql`
    delete from uploads where ctid = any(array(
      select ctid from uploads where state <> 'finalized' and expires_at < ${before.toISOString()}
      order by expires_at limit ${most} for update skip locked))`);
}

function selectFound(db: Db, scope: Scope, id: string) {
  return db
    .select({ upload: uploads, file: files })
    .from(uploads)
    .leftJoin(files, eq(files.id, uploads.id))
    .where(mine(scope, id));
}

function mine(scope: Scope, id: string) {
  return and(eq(uploads.scopeId, scope.id), eq(uploads.id, id));
}
