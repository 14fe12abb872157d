// Social accounts: `byo` ones the customer connected, `hosted` ones that are assigned to the workspace.
import { sql } from "drizzle-orm";
import { index, integer, jsonb, pgTable, text, uniqueIndex, uuid } from "drizzle-orm/pg-core";
import type { Platform } from "../../lib/shared/platforms.ts";
import type { Slot } from "../../lib/shared/slots.ts";
import { createdAt, instant, tenant, updatedAt } from "./columns.ts";
import { networkApps } from "./network-apps.ts";

export const accounts = pgTable(
  "accounts",
  {
    id: uuid("id").primaryKey(),
    ...tenant(),
    platform: text("platform").$type<Platform>().notNull(),
    type: text("type", { enum: ["byo", "hosted"] }).notNull(),
    status: text("status", { enum: ["active", "paused", "disconnected", "revoked"] }).notNull(),
    username: text("username").notNull(),
    displayName: text("display_name").notNull(),
    /** The network's own id of the account. */
    externalId: text("external_id").notNull(),
    /** The network's id of the person who consented: one consent may cover several accounts. */
    grantorId: text("grantor_id"),
    /** The app that issued its tokens; null: the app of the deployment. */
    networkAppId: uuid("network_app_id").references(() => networkApps.id),
    /** Encrypted with AES-GCM; see lib/shared/token-encryption.ts. */
    accessToken: text("access_token"),
    refreshToken: text("refresh_token"),
    tokenExpiresAt: instant("token_expires_at"),
    tokenVersion: integer("token_version").notNull().default(0),
    /** When the network last issued a token, by consent or by a refresh; null for one that an operator stored. */
    tokenRefreshedAt: instant("token_refreshed_at"),
    /** The permissions of the consent; null where nobody told. Each is the network's own name. */
    grantedScopes: text("granted_scopes").array(),
    /** When the network stops accepting the refresh token, if it says so. */
    refreshTokenExpiresAt: instant("refresh_token_expires_at"),
    /** The end of the connection that `account.reconnect_soon` last announced. */
    reconnectAnnouncedFor: instant("reconnect_announced_for"),
    /** When cron last tried to refresh the token before it expires. */
    tokenTriedAt: instant("token_tried_at"),
    /** Lease of the worker that publishes to this account or refreshes its token. */
    leaseToken: uuid("lease_token"),
    leaseUntil: instant("lease_until"),
    /** Why the account is not `active`, for the customer. */
    statusReason: text("status_reason"),
    createdAt: createdAt(),
    updatedAt: updatedAt(),
  },
  (table) => [
    index("accounts_grantor").on(table.platform, table.grantorId).where(sql`grantor_id is not null`),
    index("accounts_network_app").on(table.networkAppId).where(sql`network_app_id is not null`),
    uniqueIndex("accounts_scope_platform").on(table.scopeId, table.platform, table.type, table.externalId),
    index("accounts_token_end")
      .on(table.platform, table.tokenExpiresAt)
      .where(sql`type = 'byo' and token_expires_at is not null`),
    index("accounts_token_age")
      .on(table.platform, sql`coalesce(token_refreshed_at, created_at)`)
      .where(sql`type = 'byo' and refresh_token is not null`),
  ],
);

/** Weekly times at which posts of an account go out, in the order of the week. */
export const accountSlots = pgTable("account_slots", {
  accountId: uuid("account_id")
    .primaryKey()
    .references(() => accounts.id, { onDelete: "cascade" }),
  /** For the audit log, which names the scope and the id of every record. */
  scopeId: uuid("scope_id").notNull(),
  id: uuid("id").notNull().generatedAlwaysAs(sql`account_id`),
  timeZone: text("time_zone").notNull(),
  slots: jsonb("slots").$type<Slot[]>().notNull(),
  updatedAt: updatedAt(),
});
