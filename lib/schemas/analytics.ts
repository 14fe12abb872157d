// Analytics: tracked accounts, refreshes, summaries and posts. Summaries use camelCase fields.
import * as z from "zod";
import { MISSING_COVERAGES, POST_KINDS } from "../shared/metrics.ts";
import { PLATFORMS, type Platform as PlatformName } from "../shared/platforms.ts";
import { parseHandle } from "./analytics-handle.ts";
import { Id, Instant } from "./common.ts";
import { cursorPageFields, pageFields, paginationFields } from "./pagination.ts";

const Platform = z.enum(PLATFORMS);
/** `x` is the other name of `twitter`, as in the settings of a post. */
export const NamedPlatform = z
  .enum([...PLATFORMS, "x"])
  .transform((name): PlatformName => (name === "x" ? "twitter" : name));
const Name = z.string().trim().min(1, "Must not be empty.").max(100, "Must be at most 100 characters.");

export const TargetCreate = z
  .strictObject({
    platform: NamedPlatform,
    identifier: z.string().max(300, "Must be at most 300 characters."),
    alias: Name.optional(),
  })
  .superRefine(({ platform, identifier }, context) => {
    if (parseHandle(platform, identifier) !== null) return;
    const message = `Must be a handle, or the URL of a profile on ${platform}.`;
    context.addIssue({ code: "custom", path: ["identifier"], message, params: { code: "invalid_identifier" } });
  })
  .meta({ id: "AnalyticsTargetCreate" });

export const MAX_POSTS = 2_000;

/** Of a target whose owner has chosen none. */
export const DEFAULT_REFRESH_POLICY = { freeDailyRefresh: true, maxPosts: 500 };

export const TargetPatch = z
  .strictObject({
    displayName: Name.nullish(),
    favorite: z.boolean().optional(),
    refreshPolicy: z
      .strictObject({
        freeDailyRefresh: z.boolean().optional(),
        maxPosts: z.int().min(1).max(MAX_POSTS).optional(),
      })
      .refine((policy) => Object.keys(policy).length > 0, "Send at least one field to change.")
      .nullish(),
  })
  .refine((patch) => Object.keys(patch).length > 0, "Send at least one field to change.")
  .meta({ id: "AnalyticsTargetPatch" });

const NumberState = z
  .object({
    coverage: z.enum(["given", ...MISSING_COVERAGES]),
    refreshed_at: Instant.nullable(),
    permission: z.string().nullable(),
  })
  .meta({ id: "AnalyticsNumber" });

/** What is known about each number of an account: whether its network gives it, and as of when. */
const Numbers = z.object({
  views: NumberState,
  likes: NumberState,
  comments: NumberState,
  shares: NumberState,
  saves: NumberState,
});

const targetFields = {
  id: Id,
  user_id: Id,
  workspace_id: Id.nullable(),
  platform: Platform,
  identifier: z.string(),
  normalized_identifier: z.string(),
  display_name: z.string(),
  metadata: z.object({
    favorite: z.boolean(),
    refreshPolicy: z.object({ freeDailyRefresh: z.boolean(), maxPosts: z.int() }),
  }),
  last_refreshed_at: Instant.nullable(),
  free_refresh_available: z.boolean(),
  numbers: Numbers,
  created_at: Instant,
};

export const Target = z.object(targetFields).meta({ id: "AnalyticsTarget" });
export type Target = z.input<typeof Target>;

export const TargetCreated = z.object({
  target: Target,
  created: z.boolean(),
});

export const TargetQuery = z.strictObject(paginationFields({ max: 100, defaultLimit: 50 }));

export const TargetList = z.object({
  workspace_id: Id.nullable(),
  targets: z.array(z.object({ ...targetFields, target_id: Id })),
  ...pageFields,
});

export const TargetDeleted = z.object({ deleted: z.literal(true), target_id: Id });

const Refresh = z
  .object({
    id: Id,
    target_id: Id,
    workspace_id: Id.nullable(),
    status: z.enum(["pending", "processing", "completed", "failed"]),
    started_at: Instant.nullable(),
    completed_at: Instant.nullable(),
    error: z.string().nullable(),
    free_refresh_used: z.boolean(),
    credits_used: z.int().nullable(),
  })
  .meta({ id: "AnalyticsRefresh" });
export type Refresh = z.input<typeof Refresh>;

/** The refresh, and the same under a name of its own. */
export const RefreshRequested = Refresh.extend({
  refresh: Refresh,
  wasFree: z.boolean(),
});

const Kpi = z.object({
  value: z.number().nullable(),
  delta: z.number().nullable(),
  coverage: z.number().nullable(),
  refreshed_at: Instant.nullable(),
});

const Count = z.int();
const Rate = z.number();
const dayOfSeries = { date: z.iso.date() };

export const Summary = z
  .object({
    period: z.object({ start: z.iso.date(), end: z.iso.date(), days: Count }),
    kpis: z.object({
      publishedVideos: Kpi,
      activeAccounts: Kpi,
      views: Kpi,
      likes: Kpi,
      comments: Kpi,
      shares: Kpi,
      saves: Kpi,
      engagementRate: Kpi,
    }),
    interactionSeries: z.array(
      z.object({ ...dayOfSeries, likes: Count, comments: Count, shares: Count, saves: Count, total: Count }),
    ),
    engagementSeries: z.array(z.object({ ...dayOfSeries, views: Count, interactions: Count, engagementRate: Rate })),
    postingHeatmap: z.array(z.array(Count).length(24)).length(7),
    postingStreak: Count,
    longestPostingStreak: Count,
    contentMix: z.array(z.object({ type: z.enum(POST_KINDS), posts: Count, share: z.number() })),
  })
  .meta({ id: "AnalyticsSummary" });
export type Summary = z.input<typeof Summary>;

export const TargetWithSummary = z.object({ target: Target, summary: Summary });

const SummaryPost = z
  .object({
    id: Id,
    platformPostId: z.string(),
    postId: Id.nullable(),
    externalId: z.string().nullable(),
    publishedAt: Instant,
    caption: z.string(),
    permalink: z.string().nullable(),
    thumbnailUrl: z.string().nullable(),
    durationSeconds: Count.nullable(),
    metrics: z.object({
      views: Count.nullable(),
      likes: Count.nullable(),
      comments: Count.nullable(),
      shares: Count.nullable(),
      saves: Count.nullable(),
    }),
    numbers: Numbers,
    engagementRate: Rate.nullable(),
    platform: Platform,
    accountIdentifier: z.string(),
    accountDisplayName: z.string(),
  })
  .meta({ id: "AnalyticsPost" });
export type SummaryPost = z.input<typeof SummaryPost>;

export const SummaryPosts = z.object({
  posts: z.array(SummaryPost),
  totalCount: Count,
  hasMore: z.boolean(),
  ...cursorPageFields,
});
