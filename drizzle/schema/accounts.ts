// Social accounts: `byo` ones the customer connected, `hosted` ones that are assigned to the workspace.
import { sql } from "drizzle-orm";
import { index, integer, pgTable, text, uniqueIndex, uuid } from "drizzle-orm/pg-core";
import { createdAt, instant, tenant, updatedAt } from "./columns.ts";

export const accounts = pgTable(
  "accounts",
  {
    id: uuid("id").primaryKey(),
    ...tenant(),
    platform: text("platform").notNull(),
    type: text("type", { enum: ["byo", "hosted"] }).notNull(),
    status: text("status", { enum: ["active", "paused", "disconnected", "revoked"] }).notNull(),
    username: text("username").notNull(),
    displayName: text("display_name").notNull(),
    /** The network's own id of the account. */
    externalId: text("external_id").notNull(),
    /** AES-GCM sealed; see lib/secrets.ts. */
    accessToken: text("access_token"),
    refreshToken: text("refresh_token"),
    tokenExpiresAt: instant("token_expires_at"),
    tokenVersion: integer("token_version").notNull().default(0),
    /** When cron last tried to trade the token ahead of its end. */
    tokenTriedAt: instant("token_tried_at"),
    /** Held by the publisher at work on this account: one at a time, also for trading the refresh token. */
    leaseToken: uuid("lease_token"),
    leaseUntil: instant("lease_until"),
    /** Why the account left `active`, in words for the customer. */
    statusReason: text("status_reason"),
    createdAt: createdAt(),
    updatedAt: updatedAt(),
  },
  (table) => [
    uniqueIndex("accounts_scope_platform").on(table.scopeId, table.platform, table.type, table.externalId),
    index("accounts_token_end")
      .on(table.platform, table.tokenExpiresAt)
      .where(sql`type = 'byo' and token_expires_at is not null`),
  ],
);
