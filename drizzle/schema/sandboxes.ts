// The test modes: a scope of its own beside the one whose people and keys use it.
import { sql } from "drizzle-orm";
import { bigint, boolean, check, integer, pgTable, uuid } from "drizzle-orm/pg-core";
import { createdAt, instant } from "./columns.ts";
import { workspaces } from "./tenants.ts";

/**
 * A test scope is a workspace without members, so that the predicate which separates tenants separates the modes too. One
 * runner at a time moves its clock and does its due work, under a lease of real time: leases of rows end when the clock jumps.
 */
export const sandboxes = pgTable(
  "sandboxes",
  {
    scopeId: uuid("scope_id")
      .primaryKey()
      .references(() => workspaces.id, { onDelete: "cascade" }),
    /** The workspace, or the owner of personal data, whose test mode it is. */
    liveScopeId: uuid("live_scope_id").notNull().unique(),
    /** The time by which its clock is ahead of real time. */
    clockOffsetMs: bigint("clock_offset_ms", { mode: "number" }).notNull().default(0),
    /** Its clock stands at this instant while a runner advances it. */
    frozenAt: instant("frozen_at"),
    /** Counts resets: limits and quotas of the simulated networks begin again with each. */
    resets: integer("resets").notNull().default(0),
    leaseToken: uuid("lease_token"),
    leaseUntil: instant("lease_until"),
    /** Work was requested while a runner had the lease; it looks again before it ends. */
    isRequested: boolean("is_requested").notNull().default(false),
    createdAt: createdAt(),
  },
  () => [check("sandboxes_forward", sql`clock_offset_ms >= 0`)],
);
