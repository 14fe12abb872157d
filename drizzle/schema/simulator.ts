// What the simulated networks of a test scope know: accounts, uploads and posts.
import { integer, jsonb, pgTable, primaryKey, text, uuid } from "drizzle-orm/pg-core";
import { updatedAt } from "./columns.ts";
import { workspaces } from "./tenants.ts";

export const simulatorStates = pgTable(
  "simulator_states",
  {
    /** A test scope is a workspace without members. */
    scopeId: uuid("scope_id")
      .notNull()
      .references(() => workspaces.id, { onDelete: "cascade" }),
    network: text("network").notNull(),
    /** Written by lib/simulator alone. */
    state: jsonb("state").notNull(),
    /** Counts the changes, so that of two calls at the same time the later one begins again. */
    version: integer("version").notNull(),
    updatedAt: updatedAt(),
  },
  (table) => [primaryKey({ columns: [table.scopeId, table.network] })],
);
