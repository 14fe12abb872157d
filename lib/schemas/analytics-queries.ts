// The queries of analytics: days of a summary, filters, and the order of its posts.
import * as z from "zod";
import { PLATFORMS } from "../shared/platforms.ts";
import { parseTimeZone } from "../shared/time-zone.ts";
import { objectWithAliases } from "./aliases.ts";
import { NamedPlatform } from "./analytics.ts";
import { normalizeHandle, parseHandle } from "./analytics-handle.ts";
import { countDays, RANGES } from "./analytics-period.ts";
import { readInstant, restorePlus, wholeNumber } from "./common.ts";
import { cursorField } from "./pagination.ts";

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
  .tuple([z.enum(SORTS), z.enum(["asc", "desc"]), z.number(), z.guid()])
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
