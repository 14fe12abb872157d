// The trace of deliveries, which is partitioned by month.
import { sql } from "drizzle-orm";
import type { Db } from "../services/database.ts";
import { instant, rawQuery } from "./sql.ts";

/** Creates the partitions of the coming months and drops those that ended before `keepFrom`; returns what it changed. */
export async function keepPartitions(db: Db, { now, keepFrom }: { now: Date; keepFrom: Date }): Promise<string[]> {
  const [row] = await rawQuery(
    db,
    { changed: sql<string[]>`to_jsonb(keep_delivery_attempts(${instant(now)}, ${instant(keepFrom)}))` },
    (list) => sql`select ${list}`,
  );
  return row?.changed ?? [];
}
