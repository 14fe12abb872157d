// Posts, one delivery per post and account, and the append-only trace of what each delivery went through.
import { sql } from "drizzle-orm";
import {
  bigserial,
  date,
  index,
  integer,
  jsonb,
  pgTable,
  primaryKey,
  text,
  uniqueIndex,
  uuid,
} from "drizzle-orm/pg-core";
import { accounts } from "./accounts.ts";
import { createdAt, instant, tenant, updatedAt } from "./columns.ts";

export const POST_STATUSES = [
  "draft",
  "pending",
  "scheduled",
  "posted",
  "failed",
  "partial",
  "retry",
  "deleted",
  "void",
] as const;
export type PostStatus = (typeof POST_STATUSES)[number];
export type DeliveryStatus = Exclude<PostStatus, "partial">;

export type PostMedia =
  | { type: "video"; url: string; [hint: string]: unknown }
  | { type: "slideshow"; urls: string[]; [hint: string]: unknown };

export const posts = pgTable(
  "posts",
  {
    id: uuid("id").primaryKey(),
    ...tenant(),
    caption: text("caption").notNull(),
    /**
     * A function of the deliveries to accounts in scope, kept here by triggers so that lists can filter and count by it.
     * Null when no account of the post is in its scope any more: then no key sees it.
     */
    status: text("status").$type<PostStatus>(),
    media: jsonb("media").$type<PostMedia>(),
    scheduledAt: instant("scheduled_at"),
    musicUrl: text("music_url"),
    tiktok: jsonb("tiktok").$type<Record<string, unknown>>(),
    pinterest: jsonb("pinterest").$type<Record<string, unknown>>(),
    settings: jsonb("settings").$type<Record<string, Record<string, unknown>>>().notNull(),
    metadata: jsonb("metadata").$type<Record<string, unknown>>().notNull(),
    externalId: text("external_id"),
    /** SHA-256 of the canonical create payload: tells a repeat of `external_id` from a clash. */
    payloadHash: text("payload_hash").notNull(),
    createdAt: createdAt(),
    updatedAt: updatedAt(),
  },
  (table) => [
    index("posts_scope_newest")
      .on(table.scopeId, table.createdAt.desc().nullsFirst(), table.id.desc().nullsFirst())
      .where(sql`status is not null`),
    index("posts_scope_status_newest").on(
      table.scopeId,
      table.status,
      table.createdAt.desc().nullsFirst(),
      table.id.desc().nullsFirst(),
    ),
    uniqueIndex("posts_scope_external").on(table.scopeId, table.externalId).where(sql`external_id is not null`),
  ],
);

/** How many posts a scope has per UTC day and status; kept by triggers, so that a summary never counts rows. */
export const postCounts = pgTable(
  "post_counts",
  {
    scopeId: uuid("scope_id").notNull(),
    day: date("day").notNull(),
    status: text("status").$type<PostStatus>().notNull(),
    count: integer("count").notNull(),
  },
  (table) => [primaryKey({ columns: [table.scopeId, table.day, table.status] })],
);

/** How far a delivery has come. `armed`: the irreversible call may have been sent, so look before you send again. */
export type Stage = "new" | "started" | "armed" | "sent" | "done";

export const postDeliveries = pgTable(
  "post_deliveries",
  {
    id: uuid("id").primaryKey(),
    postId: uuid("post_id")
      .notNull()
      .references(() => posts.id, { onDelete: "cascade" }),
    accountId: uuid("account_id")
      .notNull()
      .references(() => accounts.id),
    /** Order in which the caller named the accounts. */
    position: integer("position").notNull(),
    status: text("status").$type<DeliveryStatus>().notNull(),
    stage: text("stage").$type<Stage>().notNull().default("new"),
    /** What exists at the network: container ids, upload sessions, publish ids. */
    handle: jsonb("handle").$type<Record<string, unknown>>(),
    dueAt: instant("due_at"),
    /** When the publisher looks at it next; null once nothing is left to do. */
    nextAttemptAt: instant("next_attempt_at"),
    /** After this instant the delivery ends `failed` with a reason. */
    deadlineAt: instant("deadline_at"),
    leaseToken: uuid("lease_token"),
    leaseUntil: instant("lease_until"),
    attempts: integer("attempts").notNull().default(0),
    errorCode: text("error_code"),
    errorMessage: text("error_message"),
    claimedAt: instant("claimed_at"),
    /** When the irreversible call was about to be made. */
    armedAt: instant("armed_at"),
    lastAttemptedAt: instant("last_attempted_at"),
    publishedAt: instant("published_at"),
    publishedUrl: text("published_url"),
    platformPostId: text("platform_post_id"),
    createdAt: createdAt(),
    updatedAt: updatedAt(),
  },
  (table) => [
    uniqueIndex("post_deliveries_post_account").on(table.postId, table.accountId),
    index("post_deliveries_due").on(table.nextAttemptAt).where(sql`next_attempt_at is not null`),
    index("post_deliveries_account_open")
      .on(table.accountId, table.dueAt, table.id)
      .where(sql`next_attempt_at is not null`),
    index("post_deliveries_account_begun")
      .on(table.accountId, table.dueAt, table.id)
      .where(sql`next_attempt_at is not null and stage <> 'new'`),
    index("post_deliveries_platform_post").on(table.platformPostId).where(sql`platform_post_id is not null`),
  ],
);

export const deliveryAttempts = pgTable(
  "delivery_attempts",
  {
    id: bigserial("id", { mode: "number" }).primaryKey(),
    deliveryId: uuid("delivery_id")
      .notNull()
      .references(() => postDeliveries.id, { onDelete: "cascade" }),
    attempt: integer("attempt").notNull(),
    step: text("step").notNull(),
    outcome: text("outcome").notNull(),
    code: text("code"),
    message: text("message"),
    at: instant("at").notNull(),
  },
  (table) => [index("delivery_attempts_delivery").on(table.deliveryId, table.id)],
);
