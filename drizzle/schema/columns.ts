// Columns that many tables share: instants, and the tenant a row belongs to.
import { sql } from "drizzle-orm";
import { timestamp, uuid } from "drizzle-orm/pg-core";

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
