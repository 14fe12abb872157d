// Tracked accounts of the networks, the metrics of their posts per day, and the refreshes that read them.
import { sql } from "drizzle-orm";
import {
  bigint,
  boolean,
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
import { type MissingNumbers, POST_KINDS } from "../../lib/shared/metrics.ts";
import type { Platform } from "../../lib/shared/platforms.ts";
import { createdAt, instant, job, tenant, updatedAt } from "./columns.ts";

const count = (name: string) => bigint(name, { mode: "number" });

/** The metrics of a post; null: its network hides the number, or does not give it. */
const metrics = () => ({
  views: count("views"),
  likes: count("likes"),
  comments: count("comments"),
  shares: count("shares"),
  saves: count("saves"),
});

/** The sums of metrics; a number that is not given adds nothing. */
const sums = () => ({
  views: count("views").notNull(),
  likes: count("likes").notNull(),
  comments: count("comments").notNull(),
  shares: count("shares").notNull(),
  saves: count("saves").notNull(),
});

export const analyticsTargets = pgTable(
  "analytics_targets",
  {
    id: uuid("id").primaryKey(),
    ...tenant(),
    platform: text("platform").$type<Platform>().notNull(),
    /** As sent by the customer. */
    identifier: text("identifier").notNull(),
    /** The handle in lower case; unique per scope and platform. */
    normalizedIdentifier: text("normalized_identifier").notNull(),
    displayName: text("display_name").notNull(),
    favorite: boolean("favorite").notNull().default(false),
    freeDailyRefresh: boolean("free_daily_refresh").notNull().default(true),
    /** Number of newest posts that a refresh reads. */
    maxPosts: integer("max_posts").notNull(),
    /** The UTC day whose free refresh is used. */
    freeRefreshedOn: date("free_refreshed_on"),
    lastRefreshedAt: instant("last_refreshed_at"),
    /** The last refresh stores why the network did not give a number; null before the first refresh. */
    missingNumbers: jsonb("missing_numbers").$type<MissingNumbers>(),
    /** When the target was deleted; cron deletes its rows in batches. */
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
    /** Used the free refresh of its day. */
    wasFree: boolean("was_free").notNull(),
    /** The network's cursor of the next page; null before the first page. */
    cursor: text("cursor"),
    postsSeen: integer("posts_seen").notNull().default(0),
    /** Consecutive attempts without a page. */
    attempts: integer("attempts").notNull().default(0),
    /** When the next attempt is due; null once it has ended. */
    nextAttemptAt: instant("next_attempt_at"),
    /** After this instant it ends `failed` with a reason. */
    deadlineAt: instant("deadline_at").notNull(),
    ...job(),
    errorCode: text("error_code"),
    /** For the customer: why it failed or is delayed. */
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

/** A post as of the last refresh. */
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

/** The last metrics of a post on a UTC day; a day without changes has no row. */
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
 * Gains of a target's posts per UTC day: the differences of their snapshots, stored so that a summary need not read the
 * snapshots. The metrics of a post at its first snapshot count on the day it was published.
 */
export const analyticsTargetDays = pgTable(
  "analytics_target_days",
  {
    ...{ targetId: targetId(), day: date("day").notNull(), ...sums() },
    /** Of these gains, those of posts with a hidden number, which no rate is computed from. */
    unratedViews: count("unrated_views").notNull().default(0),
    unratedInteractions: count("unrated_interactions").notNull().default(0),
  },
  (table) => [primaryKey({ columns: [table.targetId, table.day] })],
);
