// What opens the door: API keys made in the dashboard, and grants that delegate a scope to a client application.
import { index, pgTable, text, uuid } from "drizzle-orm/pg-core";
import { createdAt, instant, tenant } from "./columns.ts";

const credential = () => ({
  id: uuid("id").primaryKey(),
  /** The part of the token before the dot; names the key in logs. */
  publicId: text("public_id").notNull().unique(),
  /** SHA-256 of the 256-bit secret, hex. The secret itself is shown once and kept nowhere. */
  secretHash: text("secret_hash").notNull(),
  ...tenant(),
  revokedAt: instant("revoked_at"),
  expiresAt: instant("expires_at"),
  createdAt: createdAt(),
});

export const apiKeys = pgTable("api_keys", { ...credential(), name: text("name").notNull() }, (table) => [
  index("api_keys_scope").on(table.scopeId),
]);

export const grants = pgTable("grants", { ...credential(), clientName: text("client_name").notNull() }, (table) => [
  index("grants_scope").on(table.scopeId),
]);
