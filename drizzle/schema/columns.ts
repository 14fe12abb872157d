// Columns that many tables share: instants, and the tenant a row belongs to.
import { sql } from "drizzle-orm";
import { timestamp, uuid } from "drizzle-orm/pg-core";

/** An instant with the milliseconds that answers print. */
export const instant = (name: string) => timestamp(name, { withTimezone: true, precision: 3, mode: "date" });

export const createdAt = () => instant("created_at").notNull().defaultNow();
export const updatedAt = () => instant("updated_at").notNull().defaultNow();

/** A row belongs to a workspace, or to an owner alone; `scope_id` is whichever of the two, so one index serves both. */
export const tenant = () => ({
  ownerId: uuid("owner_id").notNull(),
  workspaceId: uuid("workspace_id"),
  scopeId: uuid("scope_id").notNull().generatedAlwaysAs(sql`coalesce(workspace_id, owner_id)`),
});
