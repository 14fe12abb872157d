// Tracked accounts of the networks, what was seen of their posts day by day, and the refreshes that look.
import { sql } from "drizzle-orm";
import {
  bigint,
  boolean,
  date,
  index,
  integer,
  pgTable,
  primaryKey,
  text,
  uniqueIndex,
  uuid,
} from "drizzle-orm/pg-core";
import { createdAt, instant, tenant, updatedAt } from "./columns.ts";

/** What is counted of a post. */
const metrics = () => ({
  views: bigint("views", { mode: "number" }).notNull(),
  likes: bigint("likes", { mode: "number" }).notNull(),
  comments: bigint("comments", { mode: "number" }).notNull(),
  shares: bigint("shares", { mode: "number" }).notNull(),
  saves: bigint("saves", { mode: "number" }).notNull(),
});

export const analyticsTargets = pgTable(
  "analytics_targets",
  {
    id: uuid("id").primaryKey(),
    ...tenant(),
    platform: text("platform", { enum: ["tiktok", "instagram", "youtube"] }).notNull(),
    /** As the customer wrote it. */
    identifier: text("identifier").notNull(),
    /** The handle alone, in lower case: what makes two targets the same. */
    normalizedIdentifier: text("normalized_identifier").notNull(),
    displayName: text("display_name").notNull(),
    favorite: boolean("favorite").notNull().default(false),
    freeDailyRefresh: boolean("free_daily_refresh").notNull().default(true),
    /** How many of the newest posts a refresh looks at. */
    maxPosts: integer("max_posts").notNull(),
    /** The UTC day whose free refresh is spent. */
    freeRefreshedOn: date("free_refreshed_on"),
    lastRefreshedAt: instant("last_refreshed_at"),
    /** Nobody sees it any more; cron takes its rows away in small helpings. */
    deletedAt: instant("deleted_at"),
    createdAt: createdAt(),
    updatedAt: updatedAt(),
  },
  (table) => [
    uniqueIndex("analytics_targets_scope_account")
      .on(table.scopeId, table.platform, table.normalizedIdentifier)
      .where(sql`deleted_at is null`),
    index("analytics_targets_scope_newest")
      .on(table.scopeId, table.createdAt.desc().nullsFirst(), table.id.desc().nullsFirst())
      .where(sql`deleted_at is null`),
    index("analytics_targets_deleted").on(table.deletedAt).where(sql`deleted_at is not null`),
  ],
);

const targetId = () =>
  uuid("target_id")
    .notNull()
    .references(() => analyticsTargets.id, { onDelete: "cascade" });

export const analyticsRefreshes = pgTable(
  "analytics_refreshes",
  {
    id: uuid("id").primaryKey(),
    targetId: targetId(),
    /** `pending` waits for its first or next attempt. */
    status: text("status", { enum: ["pending", "processing", "completed", "failed"] }).notNull(),
    /** Spent the free refresh of its day. */
    wasFree: boolean("was_free").notNull(),
    /** Where the next page begins, in the network's own words; null before the first one. */
    cursor: text("cursor"),
    postsSeen: integer("posts_seen").notNull().default(0),
    /** In a row without a page. */
    attempts: integer("attempts").notNull().default(0),
    /** When it is looked at next; null once it has ended. */
    nextAttemptAt: instant("next_attempt_at"),
    /** After this instant it ends `failed` with a reason. */
    deadlineAt: instant("deadline_at").notNull(),
    leaseToken: uuid("lease_token"),
    leaseUntil: instant("lease_until"),
    errorCode: text("error_code"),
    /** For the customer: why it failed, or why it waits. */
    error: text("error"),
    startedAt: instant("started_at"),
    completedAt: instant("completed_at"),
    createdAt: createdAt(),
  },
  (table) => [
    uniqueIndex("analytics_refreshes_running").on(table.targetId).where(sql`status in ('pending', 'processing')`),
    index("analytics_refreshes_target").on(table.targetId),
    index("analytics_refreshes_due").on(table.nextAttemptAt).where(sql`next_attempt_at is not null`),
  ],
);

export const POST_KINDS = ["video", "image", "carousel"] as const;

/** A post as it was seen last. */
export const analyticsPosts = pgTable(
  "analytics_posts",
  {
    id: uuid("id").primaryKey().defaultRandom(),
    targetId: targetId(),
    /** The network's own id. */
    platformPostId: text("platform_post_id").notNull(),
    kind: text("kind", { enum: POST_KINDS }).notNull(),
    publishedAt: instant("published_at").notNull(),
    caption: text("caption").notNull(),
    permalink: text("permalink"),
    thumbnailUrl: text("thumbnail_url"),
    durationSeconds: integer("duration_seconds"),
    ...metrics(),
    createdAt: createdAt(),
    updatedAt: updatedAt(),
  },
  (table) => [
    uniqueIndex("analytics_posts_target_post").on(table.targetId, table.platformPostId),
    index("analytics_posts_target_published").on(table.targetId, table.publishedAt, table.kind),
  ],
);

/** The metrics of a post as last seen on a UTC day; a day on which nothing had changed has none. */
export const analyticsSnapshots = pgTable(
  "analytics_snapshots",
  {
    postId: uuid("post_id")
      .notNull()
      .references(() => analyticsPosts.id, { onDelete: "cascade" }),
    day: date("day").notNull(),
    ...metrics(),
  },
  (table) => [primaryKey({ columns: [table.postId, table.day] })],
);

/**
 * What the posts of a target gained per UTC day: the differences of their snapshots, kept so that a summary need not
 * read them all. What a post already had when it was first seen counts on the day it was published.
 */
export const analyticsTargetDays = pgTable(
  "analytics_target_days",
  { targetId: targetId(), day: date("day").notNull(), ...metrics() },
  (table) => [primaryKey({ columns: [table.targetId, table.day] })],
);
