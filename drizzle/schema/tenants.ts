// Who the customers are: owners, workspaces, their members and what they pay for.
import { index, pgTable, primaryKey, text, uniqueIndex, uuid } from "drizzle-orm/pg-core";
import { createdAt, instant, tenant } from "./columns.ts";

export const owners = pgTable("owners", {
  id: uuid("id").primaryKey(),
  email: text("email").notNull().unique(),
  name: text("name").notNull(),
  createdAt: createdAt(),
});

export const workspaces = pgTable("workspaces", {
  id: uuid("id").primaryKey(),
  ownerId: uuid("owner_id")
    .notNull()
    .references(() => owners.id),
  name: text("name").notNull(),
  createdAt: createdAt(),
});

export const members = pgTable(
  "members",
  {
    workspaceId: uuid("workspace_id")
      .notNull()
      .references(() => workspaces.id, { onDelete: "cascade" }),
    ownerId: uuid("owner_id")
      .notNull()
      .references(() => owners.id, { onDelete: "cascade" }),
    role: text("role", { enum: ["owner", "admin", "editor"] }).notNull(),
    createdAt: createdAt(),
  },
  (table) => [primaryKey({ columns: [table.workspaceId, table.ownerId] }), index("members_owner").on(table.ownerId)],
);

export const TIERS = ["creator", "professional", "business", "scheduler"] as const;

/** One per scope. Eligible for the API: `active`, not past `paid_until`, and not the scheduler tier. */
export const subscriptions = pgTable(
  "subscriptions",
  {
    id: uuid("id").primaryKey(),
    ...tenant(),
    tier: text("tier", { enum: TIERS }).notNull(),
    status: text("status", { enum: ["active", "past_due", "canceled"] }).notNull(),
    paidUntil: instant("paid_until"),
    createdAt: createdAt(),
  },
  (table) => [uniqueIndex("subscriptions_scope").on(table.scopeId)],
);
