// Objects to delete from the buckets, and when. A row stays until its object is deleted.
import { sql } from "drizzle-orm";
import { files, objectDeletions } from "../../drizzle/schema/files.ts";
import type { Db } from "../services/database.ts";
import { isNextDue, type JobClaim, NO_LEASE, takeLease } from "./jobs.ts";
import { qualified, recordSet } from "./sql.ts";

export type ObjectDeletion = Omit<typeof objectDeletions.$inferSelect, "leaseToken" | "leaseUntil" | "claims">;

/** A statement that plans a deletion; an existing plan is kept. */
export function scheduleDeletion(db: Db, removal: ObjectDeletion) {
  return db.insert(objectDeletions).values(removal).onConflictDoNothing();
}

const { bucket, objectKey, multipartId, fileId, dueAt, claims } = objectDeletions;

const isKept = sql<boolean>`exists (
  select 1 from ${files} where ${files.id} = ${fileId} and ${files.objectKey} = ${objectKey})`;

export interface ClaimedDeletion extends ObjectDeletion {
  /** A file has the object: the object is kept, and only the row is deleted. */
  kept: boolean;
  /** Claims that did not finish it, this one included. */
  claims: number;
}

/** Claims due deletions, the longest due first. */
export function claimDeletions(db: Db, request: JobClaim): Promise<ClaimedDeletion[]> {
  return db
    .update(objectDeletions)
    .set(takeLease(objectDeletions, request))
    .where(isNextDue(objectDeletions, dueAt, request))
    .returning({ bucket, objectKey, multipartId, fileId, dueAt, claims, kept: qualified(isKept) });
}

export interface FailedDeletion extends ObjectDeletion {
  retryAt: Date;
}

/**
 * Deletes the rows of finished deletions and ends the leases of failed ones, in one round trip; leaves those alone that
 * were planned again in the meantime.
 */
export async function finishDeletions(
  db: Db,
  done: readonly ObjectDeletion[],
  failed: readonly FailedDeletion[] = [],
): Promise<void> {
  const removed = recordSet("done", { bucket, objectKey, dueAt }, done);
  const deleted = db
    .delete(objectDeletions)
    .where(sql`(${bucket}, ${objectKey}, ${dueAt}) in (select done.* from ${removed})`);
  if (failed.length === 0) return void (await deleted);
  const postponed = db
    .update(objectDeletions)
    .set({ ...NO_LEASE, dueAt: sql`failed."retryAt"` })
    .from(recordSet("failed", { bucket, objectKey, dueAt, retryAt: dueAt }, failed))
    .where(sql`(${bucket}, ${objectKey}, ${dueAt}) = (failed.bucket, failed."objectKey", failed."dueAt")`);
  await db.batch([deleted, postponed]);
}
