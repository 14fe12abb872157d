// Customers: owners, workspaces, members and subscriptions.
import { sql } from "drizzle-orm";
import { boolean, index, pgTable, primaryKey, text, uniqueIndex, uuid } from "drizzle-orm/pg-core";
import { ROLES } from "../../lib/shared/permissions.ts";
import { createdAt, instant, tenant, updatedAt } from "./columns.ts";

export const owners = pgTable("owners", {
  // For better-auth, which leaves ids to the database.
  id: uuid("id").primaryKey().defaultRandom(),
  email: text("email").notNull().unique(),
  name: text("name").notNull(),
  /** True once the person has signed in with a code that was sent there. */
  emailVerified: boolean("email_verified").notNull().default(false),
  image: text("image"),
  /** Of the data that belongs to no workspace. */
  timeZone: text("time_zone").notNull().default("UTC"),
  createdAt: createdAt(),
  updatedAt: updatedAt(),
});

export const workspaces = pgTable("workspaces", {
  id: uuid("id").primaryKey(),
  ownerId: uuid("owner_id")
    .notNull()
    .references(() => owners.id),
  name: text("name").notNull(),
  /** IANA name, in which people read and write times. */
  timeZone: text("time_zone").notNull().default("UTC"),
  /** For the audit log, which names the scope of every record. */
  scopeId: uuid("scope_id").notNull().generatedAlwaysAs(sql`id`),
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
    role: text("role", { enum: ROLES }).notNull(),
    /** For the audit log, which names the scope and the id of every record. */
    scopeId: uuid("scope_id").notNull().generatedAlwaysAs(sql`workspace_id`),
    id: uuid("id").notNull().generatedAlwaysAs(sql`owner_id`),
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
