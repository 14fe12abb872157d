// Connecting accounts: links that a customer sends to a person, and pending consents.
import { sql } from "drizzle-orm";
import { index, integer, pgTable, text, uuid } from "drizzle-orm/pg-core";
import type { Platform } from "../../lib/shared/platforms.ts";
import { createdAt, instant, tenant } from "./columns.ts";
import { networkApps } from "./network-apps.ts";
import { owners } from "./tenants.ts";

export const connectLinks = pgTable(
  "connect_links",
  {
    id: uuid("id").primaryKey(),
    ...tenant(),
    /** SHA-256 of the 256-bit token in the link's URL, hex. The token itself is shown once and kept nowhere. */
    tokenHash: text("token_hash").notNull().unique(),
    /** Null: every network that this service can connect. */
    platforms: text("platforms").array().$type<Platform[]>(),
    label: text("label"),
    redirectUrl: text("redirect_url"),
    /** The member who made it in the dashboard; null for a link of a key. */
    createdBy: uuid("created_by").references(() => owners.id, { onDelete: "cascade" }),
    /** Number of connections begun; bounded, because anybody with the link may begin one. */
    starts: integer("starts").notNull().default(0),
    expiresAt: instant("expires_at").notNull(),
    /** When its visitor was done; it connects nothing afterwards. */
    usedAt: instant("used_at"),
    createdAt: createdAt(),
  },
  (table) => [
    index("connect_links_end").on(table.expiresAt),
    index("connect_links_scope").on(table.scopeId, table.createdAt),
  ],
);

export const connections = pgTable(
  "connections",
  {
    id: uuid("id").primaryKey(),
    ...tenant(),
    platform: text("platform").$type<Platform>().notNull(),
    /** Null when a member of the workspace connects in the dashboard. */
    linkId: uuid("link_id").references(() => connectLinks.id, { onDelete: "cascade" }),
    /** The app whose consent was asked for; null: the app of the deployment. */
    networkAppId: uuid("network_app_id").references(() => networkApps.id),
    /** SHA-256 of the state that the network sends back; null once it came back, so that it is used once. */
    stateHash: text("state_hash").unique(),
    /** SHA-256 of a secret in a cookie of the browser that began it. */
    browserHash: text("browser_hash").notNull(),
    status: text("status", { enum: ["started", "exchanging", "choosing", "connected", "failed"] }).notNull(),
    /** AES-GCM sealed JSON: the code verifier and where the browser goes next, later the accounts to choose from. */
    secrets: text("secrets").notNull(),
    errorCode: text("error_code"),
    errorMessage: text("error_message"),
    accountIds: uuid("account_ids").array().notNull().default([]),
    expiresAt: instant("expires_at").notNull(),
    createdAt: createdAt(),
  },
  (table) => [
    index("connections_end").on(table.expiresAt),
    index("connections_link").on(table.linkId),
    index("connections_scope").on(table.scopeId),
    index("connections_network_app").on(table.networkAppId).where(sql`network_app_id is not null`),
  ],
);
