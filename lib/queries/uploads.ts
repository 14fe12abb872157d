// Uploads, from the start until they become a file, expire or are aborted.
import { and, eq, isNull, lt, ne, sql } from "drizzle-orm";
import { files, uploads } from "../../drizzle/schema/files.ts";
import type { Db, ReadOnlyDb } from "../services/database.ts";
import type { Scope } from "../shared/scope.ts";
import type { FileRow } from "./files.ts";
import { scheduleDeletion } from "./object-deletions.ts";
import { inScope } from "./scope.ts";
import { columnNames, rawCommand, recordSet } from "./sql.ts";

export type UploadRow = Omit<typeof uploads.$inferSelect, "scopeId">;

/** An upload with its file, once finalized. */
export interface UploadWithFile {
  upload: UploadRow;
  file: FileRow | null;
}

type MultipartFields = Pick<UploadRow, "multipartId" | "partSize" | "partCount">;
type UploadFields = Pick<
  UploadRow,
  "id" | "objectKey" | "contentType" | "filename" | "size" | "expiresAt" | "createdAt"
>;

/**
 * Inserts an upload and plans the deletion of its bytes. A retry after a crash has the same id and returns what the first
 * execution stored.
 */
export async function insertUpload(
  db: Db,
  scope: Scope,
  upload: UploadFields & MultipartFields,
  removeAt: Date,
): Promise<UploadRow> {
  const { ownerId, workspaceId } = scope;
  const bytes = { bucket: "uploads", objectKey: upload.objectKey, fileId: null, dueAt: removeAt } as const;
  const [, , [stored]] = await db.batch([
    db
      .insert(uploads)
      .values({ ...upload, ownerId, workspaceId, state: "open" })
      .onConflictDoNothing(),
    scheduleDeletion(db, { ...bytes, multipartId: upload.multipartId }),
    db.select().from(uploads).where(ownUpload(scope, upload.id)),
  ]);
  if (!stored) throw new Error("the upload that was just inserted is not there");
  return stored;
}

export async function findUpload(db: ReadOnlyDb, scope: Scope, id: string): Promise<UploadWithFile | null> {
  const [row] = await selectWithFile(db, scope, id);
  return row ?? null;
}

/**
 * Inserts the verified file and ends its upload, in one statement. A second finalize returns the existing file; null if
 * the upload was aborted, rejected or deleted during verification.
 */
export async function finishUpload(db: Db, file: Omit<FileRow, "ownerId" | "workspaceId">) {
  const ended = db
    .update(uploads)
    .set({ state: "finalized", updatedAt: sql`now()` })
    .where(and(eq(uploads.id, file.id), eq(uploads.state, "open")))
    .returning();
  const { id, ownerId, workspaceId } = uploads;
  const { objectKey, url, kind, origin, size, sha256, width, height, durationMs, hasVideo, hasAudio } = files;
  const verified = { objectKey, url, kind, origin, size, sha256, width, height, durationMs, hasVideo, hasAudio };
  const { contentType, filename, details, createdAt } = files;
  const given = { ...verified, contentType, filename, details, createdAt };
  const taken = [id, ownerId, workspaceId];
  const [, [stored]] = await db.batch([
    rawCommand(
      db,
      sql`
        with ended as ${ended}
        insert into ${files} (${columnNames([...taken, ...Object.values(given)])})
        select ${sql.join(taken, sql`, `)}, given.* from ended ${uploads}, ${recordSet("given", given, [file])}`,
    ),
    db.select().from(files).where(eq(files.id, file.id)),
  ]);
  return stored ?? null;
}

/** Stores the fingerprint of the completed part list; an existing one is kept. */
export async function savePartsHash(db: Db, id: string, partsHash: string): Promise<void> {
  await db
    .update(uploads)
    .set({ partsHash })
    .where(and(eq(uploads.id, id), isNull(uploads.partsHash)));
}

export async function markUploadRejected(db: Db, id: string, reason: string): Promise<void> {
  await db
    .update(uploads)
    .set({ state: "rejected", reason, updatedAt: sql`now()` })
    .where(and(eq(uploads.id, id), eq(uploads.state, "open")));
}

/** Aborts a multipart upload unless it has ended; returns the upload, null if it is not in scope. */
export async function abortUpload(db: Db, scope: Scope, id: string): Promise<UploadWithFile | null> {
  const inParts = sql`${uploads.multipartId} is not null`;
  const [, [found]] = await db.batch([
    db
      .update(uploads)
      .set({ state: "aborted", updatedAt: sql`now()` })
      .where(and(ownUpload(scope, id), inParts, eq(uploads.state, "open"))),
    selectWithFile(db, scope, id),
  ]);
  return found?.upload.multipartId ? found : null;
}

/** Deletes uploads without a file that expired before an instant, the oldest first. */
export async function deleteExpiredUploads(db: Db, before: Date, most: number): Promise<void> {
  const expired = db
    .select({ place: sql`ctid`.as("place") })
    .from(uploads)
    .where(and(ne(uploads.state, "finalized"), lt(uploads.expiresAt, before)))
    .orderBy(uploads.expiresAt)
    .limit(most)
    .for("update", { skipLocked: true });
  await db.delete(uploads).where(sql`ctid = any(array${expired})`);
}

function selectWithFile(db: ReadOnlyDb, scope: Scope, id: string) {
  return db
    .select({ upload: uploads, file: files })
    .from(uploads)
    .leftJoin(files, eq(files.id, uploads.id))
    .where(ownUpload(scope, id));
}

function ownUpload(scope: Scope, id: string) {
  return and(inScope(uploads, scope), eq(uploads.id, id));
}
