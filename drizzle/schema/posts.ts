// Posts, one delivery per post and account, and the append-only trace of each delivery.
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
import type { AccountOverride, DeliveryPart, PostLink, ThreadPart } from "../../lib/shared/post-content.ts";
import type { PostMedia } from "../../lib/shared/post-media.ts";
import type { DeliveryStatus, PostStatus } from "../../lib/shared/post-status.ts";
import type { Schedule } from "../../lib/shared/schedule.ts";
import { accounts } from "./accounts.ts";
import { createdAt, instant, job, tenant, updatedAt } from "./columns.ts";

/**
 * The content fields of a post. A new one also has its wire form in lib/schemas/post-body.ts and post.ts, and a place in lib/publishing:
 * content.ts for the drivers, plan.ts for what an approval is for, to-response.ts. The composer keeps it by kept-content.ts.
 */
const content = () => ({
  caption: text("caption").notNull(),
  media: jsonb("media").$type<PostMedia>(),
  musicUrl: text("music_url"),
  tiktok: jsonb("tiktok").$type<Record<string, unknown>>(),
  pinterest: jsonb("pinterest").$type<Record<string, unknown>>(),
  /** By the canonical name of the provider; the fields as the caller sent them. */
  settings: jsonb("settings").$type<Record<string, Record<string, unknown>>>().notNull(),
  /** Single accounts publish this instead of the post's own content. */
  overrides: jsonb("overrides").$type<AccountOverride[]>().notNull().default([]),
  firstComment: text("first_comment"),
  thread: jsonb("thread").$type<ThreadPart[]>(),
  link: jsonb("link").$type<PostLink>(),
});

export const CONTENT_FIELDS = Object.keys(content()) as (keyof ReturnType<typeof content>)[];

export const posts = pgTable(
  "posts",
  {
    id: uuid("id").primaryKey(),
    ...tenant(),
    ...content(),
    /** Incremented with every change of content, time or accounts. An update names the version that it read. */
    version: integer("version").notNull().default(1),
    /**
     * Computed from the deliveries to accounts in scope, maintained by triggers so that lists can filter and count by it.
     * Null if no account of the post is in its scope any more: then no key sees the post.
     */
    status: text("status").$type<PostStatus>(),
    scheduledAt: instant("scheduled_at"),
    /** The caller gave the time in this form; null for an instant. */
    schedule: jsonb("schedule").$type<Schedule>(),
    /** Of a time of a clock: the zone whose rules it follows. */
    scheduleZone: text("schedule_zone"),
    metadata: jsonb("metadata").$type<Record<string, unknown>>().notNull(),
    externalId: text("external_id"),
    /** SHA-256 of the canonical create payload: distinguishes a retry with the same `external_id` from a conflict. */
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
    // The calendar: a post stands on the day it goes out, or on the day it was made.
    index("posts_scope_calendar")
      .on(table.scopeId, sql`coalesce(scheduled_at, created_at)`)
      .where(sql`status is not null`),
    // Posts by a clock, to move them when the rules of their zone change.
    index("posts_by_clock")
      .on(table.scheduledAt, table.id)
      .where(sql`schedule_zone is not null and status = 'scheduled'`),
    uniqueIndex("posts_scope_external").on(table.scopeId, table.externalId).where(sql`external_id is not null`),
  ],
);

/** The number of posts per scope, UTC day and status, maintained by triggers so that a summary does not count rows. */
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

/** The progress of a delivery. `armed`: the irreversible call may have been sent, so reconcile before sending again. */
export type Stage = "new" | "started" | "armed" | "sent" | "done";

export interface DeliveryRisk {
  code: "check_failed" | "preparation_failed";
  /** The problem, with its fix. */
  reason: string;
  /** Of the account: a new connection is not what was checked. */
  tokenVersion: number;
}

/** A part of a published post that did not come out as requested, in the words of its network's driver. */
export interface DeliveryWarning {
  code: string;
  message: string;
}

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
    /** Position of the account in the request. */
    position: integer("position").notNull(),
    status: text("status").$type<DeliveryStatus>().notNull(),
    stage: text("stage").$type<Stage>().notNull().default("new"),
    /** Ids at the network: of containers, upload sessions and publish calls. */
    handle: jsonb("handle").$type<Record<string, unknown>>(),
    dueAt: instant("due_at"),
    /** When the next attempt or check is due; null once the delivery has ended. */
    nextAttemptAt: instant("next_attempt_at"),
    /** After this instant the delivery ends `failed` with a reason. */
    deadlineAt: instant("deadline_at"),
    ...job(),
    attempts: integer("attempts").notNull().default(0),
    errorCode: text("error_code"),
    errorMessage: text("error_message"),
    claimedAt: instant("claimed_at"),
    /** When everything but the irreversible call was done, before the delivery was due. */
    readyAt: instant("ready_at"),
    /** When the network was last asked whether the post would go out; cleared by an edit. */
    checkedAt: instant("checked_at"),
    /** The problem that this check, or a preparation, found; cleared by an edit and by a later check. */
    risk: jsonb("risk").$type<DeliveryRisk>(),
    /** When the irreversible call was about to be made. */
    armedAt: instant("armed_at"),
    lastAttemptedAt: instant("last_attempted_at"),
    publishedAt: instant("published_at"),
    publishedUrl: text("published_url"),
    platformPostId: text("platform_post_id"),
    warnings: jsonb("warnings").$type<DeliveryWarning[]>(),
    /** The call that the stage is about: 0 publishes the post, n the n-th of `parts`. */
    part: integer("part").notNull().default(0),
    /** The calls after the one that publishes the post: the replies of a thread, then the first comment. Null without any. */
    parts: jsonb("parts").$type<DeliveryPart[]>(),
    /** The handle of the post itself, from its first part on: `handle` is that of the part. */
    postHandle: jsonb("post_handle").$type<Record<string, unknown>>(),
    createdAt: createdAt(),
    updatedAt: updatedAt(),
  },
  (table) => [
    uniqueIndex("post_deliveries_post_account").on(table.postId, table.accountId),
    index("post_deliveries_due").on(table.nextAttemptAt).where(sql`next_attempt_at is not null`),
    index("post_deliveries_account_open")
      .on(table.accountId, table.dueAt, table.id)
      .where(sql`next_attempt_at is not null`),
    index("post_deliveries_account_queue")
      .on(table.accountId, table.dueAt, table.id)
      .where(sql`next_attempt_at is not null and stage <> 'sent'`),
    index("post_deliveries_account_checks")
      .on(table.accountId, table.dueAt, table.id)
      .where(sql`next_attempt_at is not null and stage = 'sent'`),
    // The last post of an account.
    index("post_deliveries_account_published")
      .on(table.accountId, table.publishedAt.desc())
      .where(sql`published_at is not null`),
    index("post_deliveries_unchecked").on(table.dueAt).where(sql`status = 'scheduled' and checked_at is null`),
    index("post_deliveries_at_risk").on(table.dueAt).where(sql`status = 'scheduled' and risk is not null`),
    index("post_deliveries_platform_post").on(table.platformPostId).where(sql`platform_post_id is not null`),
  ],
);

/** Partitioned by month of `at` and kept for 90 days; see the migration that does so, and functions/cron/attempts.ts. */
export const deliveryAttempts = pgTable(
  "delivery_attempts",
  {
    id: bigserial("id", { mode: "number" }),
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
  (table) => [
    primaryKey({ columns: [table.id, table.at] }),
    index("delivery_attempts_delivery").on(table.deliveryId, table.id),
    /** For the public status: what ended in the last hour. */
    index("delivery_attempts_ended").on(table.at).where(sql`outcome in ('posted', 'failed')`),
    /** For notifications: what failed lately. */
    index("delivery_attempts_failed").on(table.at).where(sql`outcome = 'failed'`),
  ],
);
