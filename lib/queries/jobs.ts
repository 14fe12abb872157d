// Jobs: rows that one worker at a time takes under a lease. What is due, free and held is said here for every table.
import { and, asc, eq, lte, type SQL, sql } from "drizzle-orm";
import type { PgColumn, PgTable } from "drizzle-orm/pg-core";
import { instant } from "./sql.ts";

/** A table with the columns of `job()` in drizzle/schema/columns.ts. */
type JobTable = PgTable & Record<"leaseToken" | "leaseUntil" | "claims", PgColumn>;

export interface JobClaim {
  now: Date;
  leaseToken: string;
  leaseUntil: Date;
  limit: number;
}

/** The clock of a worker may run a little behind the clock that wrote the row. */
const CLOCK_SKEW_MS = 1_000;

export const withClockSkew = (now: Date): Date => new Date(now.getTime() + CLOCK_SKEW_MS);

/** A lease ends after its last instant. */
export const AFTER_LEASE_MS = 1_000;

/** No worker holds the row at this time. */
export const isUnleased = ({ leaseUntil }: { leaseUntil: PgColumn }, now: Date): SQL =>
  sql`(${leaseUntil} is null or ${leaseUntil} < ${instant(now)})`;

/** The worker with this lease still holds the row. */
export const hasLease = (table: { leaseToken: PgColumn }, held: { leaseToken: string }): SQL =>
  eq(table.leaseToken, held.leaseToken);

/** These values end a lease. */
export const NO_LEASE = { leaseToken: null, leaseUntil: null } as const;

/** A claim changes these columns. */
export const takeLease = ({ claims }: JobTable, { leaseToken, leaseUntil }: Omit<JobClaim, "limit">) => ({
  leaseToken,
  leaseUntil,
  claims: sql`${claims} + 1`,
});

/**
 * Selects the rows that an UPDATE claims: due and unleased, the longest due first, and none that another claim is taking.
 * By ctid, where the lock holds them: another lookup of each by its key would cost more.
 */
export function isNextDue(table: JobTable, dueAt: PgColumn, { now, limit }: JobClaim, condition?: SQL): SQL {
  const isDue = and(condition, lte(dueAt, withClockSkew(now)), isUnleased(table, now));
  return sql`${table}.ctid = any(array(
    select ctid from ${table} where ${isDue} order by ${asc(dueAt)} limit ${limit} for update skip locked))`;
}
