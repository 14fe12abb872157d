// The rows that a statement reads of each table, also in the functions that it calls, whose plans EXPLAIN does not show.
import { sql } from "drizzle-orm";
import { rawQuery } from "../../lib/queries/sql.ts";
import type { Db } from "../../lib/services/database.ts";

export interface TableReads {
  sequentialScans: number;
  /** By sequential and by index scans; an index-only scan that does not look into the table is not counted. */
  rows: number;
}

const COLUMNS = {
  table: sql<string>`relname`,
  sequentialScans: sql<string>`coalesce(seq_scan, 0)`,
  rows: sql<string>`coalesce(seq_tup_read, 0) + coalesce(idx_tup_fetch, 0)`,
};

/** Returns the reads by table. Counters also have earlier reads that are not reported yet, so they are read before and after. */
export async function countTableReads(
  db: Db,
  statement: Parameters<Db["batch"]>[0][number],
): Promise<Record<string, TableReads>> {
  const readCounters = () =>
    rawQuery(db, COLUMNS, (list) => sql`select ${list} from pg_stat_xact_user_tables where schemaname = 'public'`);
  const [before, , after] = await db.batch([readCounters(), statement, readCounters()]);
  const reads = after.map(({ table, ...counters }) => {
    const earlier = before.find((row) => row.table === table);
    const count = (name: keyof TableReads) => Number(counters[name]) - Number(earlier?.[name] ?? 0);
    return [table, { sequentialScans: count("sequentialScans"), rows: count("rows") }] as const;
  });
  return Object.fromEntries(reads);
}
