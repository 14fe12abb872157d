// Analytics: tracked accounts, their refreshes, and what is known of their posts. Summaries speak camelCase.
import * as z from "zod";
import { handleOf, NETWORKS, type Network, normalized } from "../analytics/identifier.ts";
import { lengthOf, RANGES } from "../analytics/period.ts";
import { Id, Instant, instantFrom, paging, wholeNumber, withPlus } from "./common.ts";

const Platform = z.enum(NETWORKS);
const Name = z.string().trim().min(1, "Must not be empty.").max(100, "Must be at most 100 characters.");

export const TargetCreate = z
  .strictObject({
    platform: Platform,
    identifier: z
      .string()
      .max(300, "Must be at most 300 characters.")
      .describe("The handle, with or without @, or the URL of the profile; of YouTube also a channel id."),
    alias: Name.optional().describe("What the target is called here; its handle unless told."),
  })
  .superRefine(({ platform, identifier }, context) => {
    if (handleOf(platform, identifier) !== null) return;
    const message = `Must be a handle, or the URL of a profile on ${platform}.`;
    context.addIssue({ code: "custom", path: ["identifier"], message, params: { code: "invalid_identifier" } });
  })
  .meta({ id: "AnalyticsTargetCreate" });

const POSTS_AT_MOST = 2_000;

export const TargetPatch = z
  .strictObject({
    displayName: Name.optional(),
    favorite: z.boolean().optional(),
    refreshPolicy: z
      .strictObject({
        freeDailyRefresh: z.boolean().optional().describe("Whether the target may be refreshed, once a UTC day."),
        maxPosts: z.int().min(1).max(POSTS_AT_MOST).optional().describe("How many of the newest posts are read."),
      })
      .refine((policy) => Object.keys(policy).length > 0, "Name at least one field to change.")
      .optional(),
  })
  .refine((patch) => Object.keys(patch).length > 0, "Name at least one field to change.")
  .meta({ id: "AnalyticsTargetPatch" });

const targetFields = {
  id: Id,
  user_id: Id,
  workspace_id: Id.nullable(),
  platform: Platform,
  identifier: z.string().describe("As it was created."),
  normalized_identifier: z.string().describe("The handle alone, in lower case."),
  display_name: z.string(),
  metadata: z.object({
    favorite: z.boolean(),
    refreshPolicy: z.object({ freeDailyRefresh: z.boolean(), maxPosts: z.int() }),
  }),
  last_refreshed_at: Instant.nullable(),
  free_refresh_available: z.boolean().describe("Whether today's free refresh (UTC) is still there."),
  created_at: Instant,
};

export const Target = z.object(targetFields).meta({ id: "AnalyticsTarget" });
export type Target = z.input<typeof Target>;

export const TargetCreated = z.object({
  target: Target,
  created: z.boolean().describe("False when the account was tracked already."),
});

export const TargetQuery = z.strictObject(paging({ most: 100, usual: 50 }));

export const TargetList = z.object({
  targets: z.array(z.object({ ...targetFields, target_id: Id.describe("The id once more.") })),
  total: z.int(),
  limit: z.int(),
  offset: z.int(),
});

export const TargetDeleted = z.object({ deleted: z.literal(true), target_id: Id });

const Refresh = z
  .object({
    id: Id,
    target_id: Id,
    status: z.enum(["pending", "processing", "completed", "failed"]),
    started_at: Instant.nullable(),
    completed_at: Instant.nullable(),
    error: z.string().nullable().describe("Why it failed; while it is pending, why it waits."),
  })
  .meta({ id: "AnalyticsRefresh" });
export type Refresh = z.input<typeof Refresh>;

export const Refreshing = z.object({
  refresh: Refresh,
  wasFree: z.boolean().describe("It is the free refresh of its day."),
});

/** A UTC day: a date, or any instant of that day. */
const Day = z
  .string()
  .transform((text, context) => {
    const instant = /^\d{4}-\d{2}-\d{2}$/.test(text) ? instantFrom(`${text}T00:00:00Z`) : instantFrom(withPlus(text));
    if (instant) return instant.toISOString().slice(0, 10);
    const message = "Must be a date such as 2026-11-20, or ISO 8601 with an offset.";
    context.addIssue({ code: "custom", message, params: { code: "invalid_instant" } });
    return z.NEVER;
  })
  .meta({ type: "string", description: "A date, or ISO 8601 with an offset; its whole UTC day is meant." });

const DAYS_AT_MOST = 3_660;

const spanFields = {
  range: z.enum(RANGES).optional().describe("Days up to and with today, UTC; 30d unless told."),
  start: Day.optional(),
  end: Day.optional(),
};

type Span = { range?: string | undefined; start?: string | undefined; end?: string | undefined };

function spanRules(span: Span, context: z.RefinementCtx): void {
  const [path, message] = spanFault(span) ?? [];
  if (path) context.addIssue({ code: "custom", path: [path], message: message ?? "" });
}

function spanFault({ range, start, end }: Span): readonly [path: string, message: string] | null {
  if (start === undefined && end === undefined) return null;
  if (range !== undefined) return ["range", "Send either range, or start and end."];
  if (start === undefined) return ["start", "Must be sent with end."];
  if (end === undefined) return ["end", "Must be sent with start."];
  if (end < start) return ["end", "Must not lie before start."];
  const days = lengthOf(start, end);
  return days > DAYS_AT_MOST ? ["end", `Must lie within ${DAYS_AT_MOST} days of start, this is ${days}.`] : null;
}

const NAMES_AT_MOST = 100;

/** A comma list, without the blanks around its parts; empty parts are left out. */
const CommaList = z
  .string()
  .refine((text) => text.isWellFormed() && !text.includes("\0"), "Must be well-formed Unicode without NUL.")
  .transform((text) => [...new Set(text.split(",").map((part) => part.trim()))].filter((part) => part !== ""))
  .refine((parts) => parts.length > 0 && parts.length <= NAMES_AT_MOST, `Must name 1 to ${NAMES_AT_MOST}.`);

const filterFields = {
  platforms: CommaList.pipe(z.array(Platform))
    .optional()
    .meta({ type: "string", description: "Comma list of tiktok, instagram, youtube; all unless told." }),
  accounts: CommaList.transform((names) => names.map(sameName))
    .optional()
    .meta({ type: "string", description: "Comma list of handles or target ids; all unless told." }),
};

function sameName(name: string): string {
  const handles = NETWORKS.map((network: Network) => handleOf(network, name));
  return normalized(handles.find((handle) => handle !== null) ?? name);
}

/** The days of a summary. */
export const SpanQuery = z.strictObject(spanFields).superRefine(spanRules);

export const SummaryQuery = z.strictObject({ ...spanFields, ...filterFields }).superRefine(spanRules);

const SORTS = ["publishedAt", "views", "likes", "comments", "shares", "saves", "engagementRate"] as const;

export const SummaryPostsQuery = z
  .strictObject({
    ...spanFields,
    ...filterFields,
    sortBy: z.enum(SORTS).default("publishedAt"),
    sortOrder: z.enum(["asc", "desc"]).default("desc"),
    limit: wholeNumber(1, 100).default(50),
    offset: wholeNumber(0, 10_000).default(0),
  })
  .superRefine(spanRules);
export type SummaryPostsQuery = z.output<typeof SummaryPostsQuery>;

const Kpi = z.object({
  value: z.number(),
  delta: z.number().nullable().describe("The difference to as many days before; null for the range all."),
});

const Count = z.int();
const Rate = z.number().describe("(likes + comments + shares + saves) / views, 0 without views.");
const dayOfSeries = { date: z.iso.date() };

export const Summary = z
  .object({
    period: z.object({ start: z.iso.date(), end: z.iso.date(), days: Count }).describe("UTC days, both included."),
    kpis: z.object({
      publishedVideos: Kpi.describe("Posts of every kind that were published in the period."),
      activeAccounts: Kpi.describe("Targets that published in the period."),
      views: Kpi.describe(
        "Gained in the period. What a post had when it was first seen counts on the day it was published.",
      ),
      likes: Kpi,
      comments: Kpi,
      shares: Kpi,
      saves: Kpi,
      engagementRate: Kpi,
    }),
    interactionSeries: z
      .array(z.object({ ...dayOfSeries, likes: Count, comments: Count, shares: Count, saves: Count, total: Count }))
      .describe("Gained on each day of the period."),
    engagementSeries: z.array(z.object({ ...dayOfSeries, views: Count, interactions: Count, engagementRate: Rate })),
    postingHeatmap: z
      .array(z.array(Count).length(24))
      .length(7)
      .describe("Posts published per weekday, Monday first, and hour of the day, UTC."),
    postingStreak: z.object({
      current: Count.describe("Days in a row with a post, up to the last day of the period or the one before it."),
      longest: Count,
    }),
    contentMix: z
      .array(z.object({ type: z.enum(["video", "image", "carousel"]), posts: Count, share: z.number() }))
      .describe("What the posts of the period are, most first."),
  })
  .meta({ id: "AnalyticsSummary" });
export type Summary = z.input<typeof Summary>;

export const TargetShown = z.object({ target: Target, summary: Summary });

const SummaryPost = z
  .object({
    id: Id,
    platformPostId: z.string().describe("The network's own id."),
    postId: Id.nullable().describe("The post of this service that it is; null when it was made elsewhere."),
    externalId: z.string().nullable().describe("The external_id of that post."),
    publishedAt: Instant,
    caption: z.string(),
    permalink: z.string().nullable(),
    thumbnailUrl: z.string().nullable(),
    durationSeconds: Count.nullable(),
    metrics: z
      .object({ views: Count, likes: Count, comments: Count, shares: Count, saves: Count })
      .describe("As last seen; 0 also where the network does not tell."),
    engagementRate: Rate,
    platform: Platform,
    accountIdentifier: z.string(),
    accountDisplayName: z.string(),
  })
  .meta({ id: "AnalyticsPost" });
export type SummaryPost = z.input<typeof SummaryPost>;

export const SummaryPosts = z.object({ posts: z.array(SummaryPost), totalCount: Count, hasMore: z.boolean() });
