// Verified files of a scope, and the uploads that become them.
import { and, eq, inArray, sql } from "drizzle-orm";
import { files, uploads } from "../../drizzle/schema/files.ts";
import type { Db } from "../db.ts";
import type { Scope } from "../scope.ts";

export type FileRow = Omit<typeof files.$inferSelect, "scopeId">;
export type UploadRow = Omit<typeof uploads.$inferSelect, "scopeId">;

/** Those of the URLs that are finalized files of the scope. */
export function findByUrl(db: Db, scope: Scope, urls: string[]) {
  return db
    .select()
    .from(files)
    .where(and(eq(files.scopeId, scope.id), inArray(files.url, urls)));
}

export async function insertUpload(
  db: Db,
  scope: Scope,
  upload: Pick<UploadRow, "id" | "objectKey" | "contentType" | "filename" | "size" | "expiresAt" | "createdAt">,
): Promise<void> {
  await db
    .insert(uploads)
    .values({ ...upload, ownerId: scope.ownerId, workspaceId: scope.workspaceId, state: "open" })
    .onConflictDoNothing();
}

/** An upload of the scope, with the file that it became. */
export async function findUpload(db: Db, scope: Scope, id: string) {
  const [row] = await db
    .select({ upload: uploads, file: files })
    .from(uploads)
    .leftJoin(files, eq(files.id, uploads.id))
    .where(and(eq(uploads.scopeId, scope.id), eq(uploads.id, id)));
  return row ?? null;
}

/** The verified file, and the end of its upload, in one transaction. A second finalize finds the first one's file. */
export async function insertFile(db: Db, file: FileRow) {
  const [, , [stored]] = await db.batch([
    db.insert(files).values(file).onConflictDoNothing(),
    db.update(uploads).set({ state: "finalized", updatedAt: sql`now()` }).where(eq(uploads.id, file.id)),
    db.select().from(files).where(eq(files.id, file.id)),
  ]);
  return stored ?? null;
}

/** The file that an upload became; the caller has seen that the upload is in scope. */
export async function find(db: Db, id: string): Promise<FileRow | null> {
  const [row] = await db.select().from(files).where(eq(files.id, id));
  return row ?? null;
}

export async function rejectUpload(db: Db, id: string, reason: string): Promise<void> {
  await db
    .update(uploads)
    .set({ state: "rejected", reason, updatedAt: sql`now()` })
    .where(and(eq(uploads.id, id), eq(uploads.state, "open")));
}
