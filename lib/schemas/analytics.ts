// Analytics: tracked accounts, refreshes, summaries and posts. Summaries use camelCase fields.
import * as z from "zod";
import { MISSING_COVERAGES, POST_KINDS } from "../shared/metrics.ts";
import { PLATFORMS, type Platform as PlatformName } from "../shared/platforms.ts";
import { parseTimeZone } from "../shared/time-zone.ts";
import { objectWithAliases } from "./aliases.ts";
import { normalizeHandle, parseHandle } from "./analytics-handle.ts";
import { countDays, RANGES } from "./analytics-period.ts";
import { Id, Instant, readInstant, restorePlus, wholeNumber } from "./common.ts";
import { cursorField, cursorPageFields, pageFields, paginationFields } from "./pagination.ts";

const Platform = z.enum(PLATFORMS);
/** `x` is the other name of `twitter`, as in the settings of a post. */
const NamedPlatform = z.enum([...PLATFORMS, "x"]).transform((name): PlatformName => (name === "x" ? "twitter" : name));
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

/** A UTC day: a date, or any instant of that day. */
const Day = z
  .string()
  .max(80)
  .transform((text, context) => {
    const isDate = /^\d{4}-\d{2}-\d{2}$/.test(text);
    const read = readInstant(isDate ? `${text}T00:00:00Z` : restorePlus(text));
    if ("at" in read) return read.at.toISOString().slice(0, 10);
    const message = isDate
      ? "There is no such day from 1970 to 9000. Send a date such as 2026-11-20."
      : `${read.problem} Or send a date such as 2026-11-20.`;
    context.addIssue({ code: "custom", message, params: { code: "invalid_instant" } });
    return z.NEVER;
  })
  .meta({ type: "string" });

export const MAX_DAYS = 3_660;

const spanFields = {
  range: z.enum(RANGES).optional(),
  start: Day.optional(),
  end: Day.optional(),
};

/** Of the hours and weekdays of the heatmap; days stay those of UTC, as snapshots are. */
const TimeZone = z
  .string()
  .max(100)
  .refine((name) => parseTimeZone(name) !== null, "Must be the IANA name of a time zone, such as Europe/Berlin.")
  .transform((name) => parseTimeZone(name) ?? name)
  .meta({ type: "string" });

type Span = { range?: string | undefined; start?: string | undefined; end?: string | undefined };

function validateSpan(span: Span, context: z.RefinementCtx): void {
  const [path, message] = findSpanError(span) ?? [];
  if (path) context.addIssue({ code: "custom", path: [path], message: message ?? "" });
}

function findSpanError({ range, start, end }: Span): readonly [path: string, message: string] | null {
  if (start === undefined && end === undefined) return null;
  if (range !== undefined) return ["range", "Send range, or start and end, but not both."];
  if (start === undefined) return ["start", "Required when end is sent."];
  if (end === undefined) return ["end", "Required when start is sent."];
  if (end < start) return ["end", "Must not be before start."];
  const days = countDays(start, end);
  return days > MAX_DAYS ? ["end", `Must be at most ${MAX_DAYS} days from start to end, but is ${days}.`] : null;
}

const MAX_NAMES = 100;
/** A name in a URL has up to 100 characters. */
const MAX_LIST_LENGTH = MAX_NAMES * 101;

/** A comma-separated list; trims each part and drops empty ones. */
const CommaList = z
  .string()
  .max(MAX_LIST_LENGTH)
  .refine((text) => text.isWellFormed() && !text.includes("\0"), "Must be well-formed Unicode without NUL.")
  .transform((text) => [...new Set(text.split(",").map((part) => part.trim()))].filter((part) => part !== ""))
  .refine((parts) => parts.length > 0 && parts.length <= MAX_NAMES, `Must have 1 to ${MAX_NAMES} entries.`);

const filterFields = {
  platforms: CommaList.pipe(z.array(NamedPlatform)).optional().meta({ type: "string" }),
  accounts: CommaList.transform((names) => names.map(normalizeAccount))
    .optional()
    .meta({ type: "string" }),
};

function normalizeAccount(name: string): string {
  const handles = PLATFORMS.map((network) => parseHandle(network, name));
  return normalizeHandle(handles.find((handle) => handle !== null) ?? name);
}

/** The days of a summary. */
export const SpanQuery = objectWithAliases(
  { ...spanFields, timeZone: TimeZone.optional() },
  { time_zone: "timeZone" },
).superRefine(validateSpan);

const FILTER_ALIASES = { platform: "platforms", account_ids: "accounts" } as const;

export const SummaryQuery = objectWithAliases(
  { ...spanFields, ...filterFields, timeZone: TimeZone.optional() },
  { ...FILTER_ALIASES, time_zone: "timeZone" },
).superRefine(validateSpan);

const SORTS = ["publishedAt", "views", "likes", "comments", "shares", "saves", "engagementRate"] as const;

/** The value by which the last post of a page is sorted, and its id. */
const SortedPosition = z
  .tuple([z.enum(SORTS), z.enum(["asc", "desc"]), z.number(), z.uuid()])
  .transform(([sortBy, sortOrder, value, id]) => ({ sortBy, sortOrder, value, id }));

export const SummaryPostsQuery = objectWithAliases(
  {
    ...spanFields,
    ...filterFields,
    sortBy: z
      .enum([...SORTS, "published_at"])
      .transform((name) => (name === "published_at" ? "publishedAt" : name))
      .optional(),
    sortOrder: z.enum(["asc", "desc"]).optional(),
    limit: wholeNumber(1, 100).default(50),
    offset: wholeNumber(0, 10_000).default(0),
    cursor: cursorField(SortedPosition).optional(),
  },
  { ...FILTER_ALIASES, sort_by: "sortBy", sort_order: "sortOrder" },
)
  .superRefine(validateSpan)
  .transform((query) => ({ ...query, sortBy: query.sortBy ?? "publishedAt", sortOrder: query.sortOrder ?? "desc" }))
  .refine(({ cursor, sortBy, sortOrder }) => !cursor || (cursor.sortBy === sortBy && cursor.sortOrder === sortOrder), {
    path: ["cursor"],
    message: "Is of another sortBy or sortOrder. Start again without cursor.",
  });
export type SummaryPostsQuery = z.output<typeof SummaryPostsQuery>;

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
