// Credentials: API keys made in the dashboard, and grants that delegate a scope to a client application.
import { index, jsonb, pgTable, text, uuid } from "drizzle-orm/pg-core";
import type { Permission } from "../../lib/shared/permissions.ts";
import { RESOURCES } from "../../lib/shared/resources.ts";
import { createdAt, instant, tenant } from "./columns.ts";
import { owners } from "./tenants.ts";

const credential = () => ({
  id: uuid("id").primaryKey(),
  /** The part of the token before the dot; names the key in logs. */
  publicId: text("public_id").notNull().unique(),
  /** SHA-256 of the 256-bit secret, hex. The secret is shown once and not stored. */
  secretHash: text("secret_hash").notNull(),
  ...tenant(),
  /** Null means all. They never change, so that a verified key may be remembered with them. */
  permissions: jsonb("permissions").$type<Permission[]>(),
  /** Null: all accounts of the scope. They never change either. */
  accountIds: uuid("account_ids").array(),
  revokedAt: instant("revoked_at"),
  expiresAt: instant("expires_at"),
  /** Both to ten minutes. */
  lastUsedAt: instant("last_used_at"),
  lastOperation: text("last_operation"),
  createdAt: createdAt(),
});

export const apiKeys = pgTable(
  "api_keys",
  {
    ...credential(),
    name: text("name").notNull(),
    /** The person who has seen its token; null for a key of the admin command. */
    createdBy: uuid("created_by").references(() => owners.id, { onDelete: "set null" }),
    /** When its successor was made; a key has one. */
    rotatedAt: instant("rotated_at"),
  },
  (table) => [index("api_keys_scope").on(table.scopeId)],
);

/**
 * A grant of a consent is a family of tokens: it has no token itself, and `expires_at` moves with each refresh. One of the admin
 * command has a token as a key has, and no client.
 */
export const grants = pgTable(
  "grants",
  {
    ...credential(),
    clientName: text("client_name").notNull(),
    clientId: text("client_id"),
    /** The host of the client's id, or of the page that it returns to. */
    clientHost: text("client_host"),
    /** The only resource that accepts its tokens; null: all accept them. */
    resource: text("resource", { enum: RESOURCES }),
    /** The person who consented. */
    createdBy: uuid("created_by").references(() => owners.id, { onDelete: "set null" }),
  },
  (table) => [index("grants_scope").on(table.scopeId), index("grants_client").on(table.clientId)],
);
