// Columns that many tables share: instants, and the tenant a row belongs to.
import { sql } from "drizzle-orm";
import { integer, timestamp, uuid } from "drizzle-orm/pg-core";

/** An instant with milliseconds, as in responses. */
export const instant = (name: string) => timestamp(name, { withTimezone: true, precision: 3, mode: "date" });

export const createdAt = () => instant("created_at").notNull().defaultNow();
export const updatedAt = () => instant("updated_at").notNull().defaultNow();

/** A row belongs to a workspace or to a single owner; `scope_id` is the id of either, so that one index serves both. */
export const tenant = () => ({
  ownerId: uuid("owner_id").notNull(),
  workspaceId: uuid("workspace_id"),
  scopeId: uuid("scope_id").notNull().generatedAlwaysAs(sql`coalesce(workspace_id, owner_id)`),
});

/** The row is a job: due work that one worker at a time does under a lease; see lib/queries/jobs.ts. */
export const job = () => ({
  leaseToken: uuid("lease_token"),
  leaseUntil: instant("lease_until"),
  /** Claims since the last progress: more than one when workers ended without storing anything. */
  claims: integer("claims").notNull().default(0),
});
