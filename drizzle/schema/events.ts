// The outbox: what happened in a scope, in order, and the webhooks that receive it. Triggers write both (0003_events.sql).
import { sql } from "drizzle-orm";
import {
  bigint,
  index,
  integer,
  jsonb,
  pgTable,
  primaryKey,
  text,
  timestamp,
  uniqueIndex,
  uuid,
} from "drizzle-orm/pg-core";
import type { EventSnapshot } from "../../lib/shared/event-snapshots.ts";
import type { EventType } from "../../lib/shared/event-types.ts";
import { createdAt, instant, job, tenant, updatedAt } from "./columns.ts";

/**
 * Partitioned by month of `created_at` and kept for 30 days; see the migration that does so, and functions/cron/partitions.ts.
 * `sequence` ascends per scope in the order of commits, and `id` (UUIDv7) contains it.
 */
export const events = pgTable(
  "events",
  {
    scopeId: uuid("scope_id").notNull(),
    sequence: bigint("sequence", { mode: "number" }).notNull(),
    id: uuid("id").notNull(),
    type: text("type").$type<EventType>().notNull(),
    /** The record that it is about: events of one object are delivered in order. */
    objectId: uuid("object_id").notNull(),
    /** The accounts that it is about: keys that lack one do not see it. Null when it is about none. */
    accountIds: uuid("account_ids").array(),
    /** The rows of the object as they were then, without secrets. */
    snapshot: jsonb("snapshot").$type<EventSnapshot>().notNull(),
    createdAt: instant("created_at").notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.scopeId, table.sequence, table.createdAt] }),
    index("events_scope_type").on(table.scopeId, table.type, table.sequence),
    index("events_scope_object").on(table.scopeId, table.objectId, table.sequence),
  ],
);

/** The last number of a scope. A transaction that writes events locks it until it commits. */
export const eventCounters = pgTable("event_counters", {
  scopeId: uuid("scope_id").primaryKey(),
  last: bigint("last", { mode: "number" }).notNull().default(0),
  lastAt: timestamp("last_at", { withTimezone: true, precision: 3, mode: "date" }).notNull().default(sql`'epoch'`),
});

/** The descriptions of the API that were deployed, so that a deployment knows whether its own is another one. */
export const apiDocuments = pgTable("api_documents", {
  sha256: text("sha256").primaryKey(),
  version: text("version").notNull(),
  deployedAt: instant("deployed_at").notNull(),
});

/** A URL that receives the events of a scope. */
export const webhooks = pgTable(
  "webhooks",
  {
    id: uuid("id").primaryKey(),
    ...tenant(),
    url: text("url").notNull(),
    /** Names of types, or only `*`. */
    types: text("types").array().notNull(),
    /** Of the key that made it, which sees no others: it receives events of these accounts only. Null: of all. */
    accountIds: uuid("account_ids").array(),
    description: text("description"),
    /** Encrypted, for the row of this id; see lib/shared/token-encryption.ts. */
    secret: text("secret").notNull(),
    /** The secret before a rotation: signs beside the new one until then. */
    previousSecret: text("previous_secret"),
    previousSecretUntil: instant("previous_secret_until"),
    /** The first failure since the last success; null while deliveries succeed. */
    failingSince: instant("failing_since"),
    /** Percent of the time until failures disable it that its people were told of. */
    warnedPercent: integer("warned_percent").notNull().default(0),
    disabledAt: instant("disabled_at"),
    disabledReason: text("disabled_reason", { enum: ["failures", "request"] }),
    /** It ends with this key or grant: that of a subscription of MCP Events, or the grant that made it. */
    subscriberId: uuid("subscriber_id"),
    /** When a subscription of MCP Events ends that is not renewed. Null for a webhook of the API. */
    expiresAt: instant("expires_at"),
    createdAt: createdAt(),
    updatedAt: updatedAt(),
  },
  (table) => [
    index("webhooks_scope").on(table.scopeId, table.createdAt),
    index("webhooks_subscriptions").on(table.subscriberId).where(sql`subscriber_id is not null`),
    index("webhooks_failing").on(table.failingSince).where(sql`failing_since is not null`),
  ],
);

/** An attempt to send an event, for the customer. `status` is null without a response; `error` then says why. */
export interface WebhookAttempt {
  at: string;
  status: number | null;
  duration_ms: number;
  response_excerpt: string | null;
  error: string | null;
}

/**
 * One per event and webhook that wants it, written with the event. Without a foreign key: writing an event locks no webhook,
 * and deleting one takes the time of one row. A delivery without its webhook is never sent, and cron deletes it.
 */
export const webhookDeliveries = pgTable(
  "webhook_deliveries",
  {
    id: uuid("id").primaryKey(),
    webhookId: uuid("webhook_id").notNull(),
    eventId: uuid("event_id").notNull(),
    /** Of the event; 0 for a test, which is no event. */
    sequence: bigint("sequence", { mode: "number" }).notNull(),
    eventAt: instant("event_at").notNull(),
    type: text("type").notNull(),
    objectId: uuid("object_id").notNull(),
    status: text("status", { enum: ["pending", "delivered", "failed", "aborted"] })
      .notNull()
      .default("pending"),
    attempts: jsonb("attempts").$type<WebhookAttempt[]>().notNull().default([]),
    /** Attempts since it was last made pending: a redelivery begins again. */
    tries: integer("tries").notNull().default(0),
    /** When the next attempt is due; null once it has ended. */
    nextAttemptAt: instant("next_attempt_at"),
    ...job(),
    createdAt: createdAt(),
  },
  (table) => [
    uniqueIndex("webhook_deliveries_event").on(table.webhookId, table.eventId),
    index("webhook_deliveries_due").on(table.webhookId, table.nextAttemptAt).where(sql`next_attempt_at is not null`),
    index("webhook_deliveries_open")
      .on(table.webhookId, table.objectId, table.sequence)
      .where(sql`next_attempt_at is not null`),
    index("webhook_deliveries_leased").on(table.webhookId, table.leaseUntil).where(sql`lease_until is not null`),
    index("webhook_deliveries_unsuccessful")
      .on(table.webhookId, table.eventId)
      .where(sql`status in ('failed', 'aborted')`),
    index("webhook_deliveries_end").on(table.createdAt),
  ],
);
