// Objects to delete from the buckets, and when. A row stays until its object is deleted.
import { lte, sql } from "drizzle-orm";
import { files, objectDeletions } from "../../drizzle/schema/files.ts";
import type { Db } from "../services/database.ts";
import { qualified, recordSet } from "./sql.ts";

export type ObjectDeletion = typeof objectDeletions.$inferSelect;

/** A statement that plans a deletion; an existing plan is kept. */
export function scheduleDeletion(db: Db, removal: ObjectDeletion) {
  return db.insert(objectDeletions).values(removal).onConflictDoNothing();
}

const { bucket, objectKey, multipartId, fileId, dueAt } = objectDeletions;

const isKept = sql<boolean>`exists (
  select 1 from ${files} where ${files.id} = ${fileId} and ${files.objectKey} = ${objectKey})`;

export interface ClaimedDeletion extends ObjectDeletion {
  /** A file has the object: the object is kept, and only the row is deleted. */
  kept: boolean;
}

/** Claims due deletions, the longest due first. Deletions that are not finished by `until` become due again. */
export function claim(db: Db, now: Date, until: Date, most: number): Promise<ClaimedDeletion[]> {
  // By ctid, where the lock holds them: another lookup of each by its key would cost more.
  const due = db
    .select({ place: sql`ctid`.as("place") })
    .from(objectDeletions)
    .where(lte(dueAt, now))
    .orderBy(dueAt)
    .limit(most)
    .for("update", { skipLocked: true });
  return db
    .update(objectDeletions)
    .set({ dueAt: until })
    .where(sql`ctid = any(array${due})`)
    .returning({ bucket, objectKey, multipartId, fileId, dueAt, kept: qualified(isKept) });
}

/** Deletes the rows of finished deletions, except those that were planned again in the meantime. */
export async function finish(db: Db, done: readonly ObjectDeletion[]): Promise<void> {
  const given = recordSet("done", { bucket, objectKey, dueAt }, done);
  await db.delete(objectDeletions).where(sql`(${bucket}, ${objectKey}, ${dueAt}) in (select done.* from ${given})`);
}
