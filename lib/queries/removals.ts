// Objects that have to go from the buckets, and when. A row outlives every failure until its object is gone.
import { sql } from "drizzle-orm";
import { removals } from "../../drizzle/schema/files.ts";
import { type Db, rowsOf } from "../db.ts";

export type Removal = typeof removals.$inferSelect;

/** The statement that plans a removal; one that is planned already stays as it is. */
export function planRemoval(db: Db, removal: Removal) {
  return db.insert(removals).values(removal).onConflictDoNothing();
}

export interface Claimed extends Removal {
  /** Its file is there: the object stays, and only the row goes. */
  kept: boolean;
}

type ClaimedRow = Omit<Claimed, "dueAt"> & { dueAt: string };

/** Takes due removals in hand, the longest due first; whatever is not settled by `until` comes up again. */
export async function claim(db: Db, now: Date, until: Date, most: number): Promise<Claimed[]> {
  // By their place in the table, where the lock holds them: to look each up by its key again would cost more.
  const result = await db.execute(sql`
    update removals r set due_at = ${until.toISOString()}
    where r.ctid = any(array(
      select ctid from removals where due_at <= ${now.toISOString()}
      order by due_at limit ${most} for update skip locked))
    returning r.bucket, r.object_key as "objectKey", r.multipart_id as "multipartId", r.file_id as "fileId",
      r.due_at as "dueAt",
      exists (select 1 from files f where f.id = r.file_id and f.object_key = r.object_key) as kept`);
  return rowsOf<ClaimedRow>(result).map((row) => ({ ...row, dueAt: new Date(row.dueAt) }));
}

/** Ends removals whose objects are gone, but for those that were planned anew in the meantime. */
export async function settle(db: Db, done: readonly Removal[]): Promise<void> {
  const keys = done.map(({ bucket, objectKey, dueAt }) => ({ bucket, object_key: objectKey, due_at: dueAt }));
  await db.execute(sql`
    delete from removals r
    using jsonb_to_recordset(${JSON.stringify(keys)}::jsonb) as d(bucket text, object_key text, due_at timestamptz)
    where r.bucket = d.bucket and r.object_key = d.object_key and r.due_at = d.due_at`);
}
