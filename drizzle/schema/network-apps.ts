// Apps at the networks that customers bring themselves; an account without one belongs to the app of the deployment.
import { sql } from "drizzle-orm";
import { integer, pgTable, text, uniqueIndex, uuid } from "drizzle-orm/pg-core";
import type { Platform } from "../../lib/shared/platforms.ts";
import { createdAt, instant, tenant, updatedAt } from "./columns.ts";

export const networkApps = pgTable(
  "network_apps",
  {
    id: uuid("id").primaryKey(),
    ...tenant(),
    platform: text("platform").$type<Platform>().notNull(),
    clientId: text("client_id").notNull(),
    /** Encrypted with AES-GCM for the scope, network and client id; see lib/services/network-app.ts. */
    clientSecret: text("client_secret").notNull(),
    /** The last characters of the secret, by which a person recognises it. */
    secretEnd: text("secret_end").notNull(),
    /** The permissions to ask for; null: those that the connector names. */
    scopes: text("scopes").array(),
    /** Uploads that the network allows the app per day; null: the documented number. YouTube only. */
    uploadsPerDay: integer("uploads_per_day"),
    /** No account is connected with it any more; it stays while an account has its tokens. */
    retiredAt: instant("retired_at"),
    createdAt: createdAt(),
    updatedAt: updatedAt(),
  },
  (table) => [
    uniqueIndex("network_apps_current").on(table.scopeId, table.platform).where(sql`retired_at is null`),
    uniqueIndex("network_apps_client").on(table.scopeId, table.platform, table.clientId),
  ],
);
