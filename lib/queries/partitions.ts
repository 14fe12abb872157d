// Tables that are partitioned by month, so that old rows leave by dropping their month.
import { sql } from "drizzle-orm";
import type { Db } from "../services/database.ts";
import { instant, rawQuery } from "./sql.ts";

/** Each with the column of the time that its partitions divide. */
const TIME_COLUMNS = { delivery_attempts: "at", events: "created_at" } as const;
export type PartitionedTable = keyof typeof TIME_COLUMNS;

/** Makes the partitions of the coming months and drops those that ended before `keepFrom`; returns what it changed. */
export async function maintainPartitions(
  db: Db,
  table: PartitionedTable,
  { now, keepFrom }: { now: Date; keepFrom: Date },
): Promise<string[]> {
  const call = sql`keep_partitions(${table}, ${TIME_COLUMNS[table]}, ${instant(now)}, ${instant(keepFrom)})`;
  const [row] = await rawQuery(db, { changed: sql<string[]>`to_jsonb(${call})` }, (list) => sql`select ${list}`);
  return row?.changed ?? [];
}
