// The state of the simulated networks of a test scope: accounts, uploads and posts.
import { integer, jsonb, pgTable, primaryKey, text, uuid } from "drizzle-orm/pg-core";
import { updatedAt } from "./columns.ts";

export const simulatorStates = pgTable(
  "simulator_states",
  {
    /** A test scope. It may be one of another database: the simulator of previews serves all branches. */
    scopeId: uuid("scope_id").notNull(),
    network: text("network").notNull(),
    /** Written by lib/simulator alone. */
    state: jsonb("state").notNull(),
    /** Counts the changes, so that of two calls at the same time the later one begins again. */
    version: integer("version").notNull(),
    updatedAt: updatedAt(),
  },
  (table) => [primaryKey({ columns: [table.scopeId, table.network] })],
);
