// The viral library: posts, pages of results, transcripts and the search query.
import * as z from "zod";
import { wholeNumber } from "./common.ts";
import { LANGUAGES } from "./languages.ts";
import { cursorField, cursorPageFields } from "./pagination.ts";

export const CATEGORIES = [
  ...["beauty", "fashion", "fitness", "health", "food", "travel", "home", "parenting", "pets", "relationships"],
  ...["education", "career", "finance", "business", "marketing", "technology", "gaming", "entertainment", "music"],
  ...["sports", "art", "books", "lifestyle", "other"],
] as const;
export const BUSINESS_TYPES = [
  ...["app", "ecommerce", "saas", "service", "affiliate", "creator", "game", "book", "other", "unclassified"],
] as const;
export const VIRAL_PLATFORMS = ["tiktok", "instagram", "threads", "youtube"] as const;
export const CONTENT_TYPES = ["slideshow", "video", "mixed"] as const;
export const SORTS = [
  ...["relevance", "newest", "latest_posted", "most_views", "most_likes", "most_comments", "most_slides"],
] as const;

/** Maximum number of results that one query can page through. */
export const MAX_RESULTS = 1_000;

const Metric = z.number().int().min(0).nullable();
const Text = z.string().nullable();
/** ISO 639-2 codes: multilingual, no linguistic content, undetermined. */
const SPECIAL_LANGUAGES = ["mul", "zxx", "und"];
export const Language = z
  .string()
  .refine(
    (code) => LANGUAGES.has(code) || SPECIAL_LANGUAGES.includes(code),
    "Must be an ISO 639-1 code such as en or ja, or mul, zxx or und.",
  );

export const ProductApp = z.object({ store: z.enum(["apple", "google"]), app_id: z.string(), name: z.string() });
export const HookAnalysis = z.object({
  content_class: Text,
  format_template: Text,
  psychology_tags: z.array(z.string()),
});
export const AdSignal = z.object({ status: z.enum(["ad", "likely_ad"]), reason: z.string() });

export const ViralPost = z
  .object({
    id: z.string(),
    platform: z.enum(VIRAL_PLATFORMS),
    content_type: z.enum(CONTENT_TYPES),
    link: z.string(),
    category: z.enum(CATEGORIES),
    business_type: z.enum(BUSINESS_TYPES),
    product_name: Text,
    product_website: Text,
    product_app: ProductApp.nullable(),
    account: Text,
    caption: Text,
    hashtags: z.array(z.string()),
    date_published: z.string(),
    metrics: z.object({ views: Metric, likes: Metric, comments: Metric, shares: Metric, bookmarks: Metric }),
    slide_count: z.number().int().nullable(),
    preview_image_url: Text,
    image_urls: z.array(z.string()),
    video_url: Text,
    hook_text: Text,
    hook_analysis: HookAnalysis.nullable(),
    search_summary: Text,
    niche: Text,
    topics: z.array(z.string()),
    search_keywords: z.array(z.string()),
    ad_signal: AdSignal.nullable(),
    creator_sponsored: z.boolean().nullable(),
    language: Text,
    slide_texts: z.array(z.string()).nullable(),
    relevance: z.null(),
  })
  .meta({ id: "ViralPost" });

export const ViralPage = z.object({
  posts: z.array(ViralPost),
  total: z.int(),
  has_more: z.boolean(),
  next_offset: z.int().nullable(),
  ...cursorPageFields,
});

export const ViralTranscript = z.object({
  id: z.string(),
  language: z.string().nullable(),
  text: z.string(),
  segments: z.array(z.object({ start_ms: z.int(), end_ms: z.int(), text: z.string() })),
});

const substringFilter = z
  .string()
  .trim()
  .normalize("NFC")
  .min(1)
  .max(200)
  .regex(/^[^\0]*$/, "Must not contain NUL.");

/** Of 100 ids with up to 20 digits, and spaces around them. */
const MAX_LIST_LENGTH = 4_000;

/** A comma-separated list without duplicates. */
function commaList(item: z.ZodType<string, string>, most: number) {
  return z
    .string()
    .max(MAX_LIST_LENGTH)
    .transform((text) => [...new Set(text.split(",").map((part) => part.trim()))])
    .pipe(z.array(item).min(1).max(most))
    .meta({ type: "string" });
}

const INVALID_DAY = "Must be a valid date, YYYY-MM-DD.";
/** Postgres has no year 0. */
export const Day = z.iso.date(INVALID_DAY).refine((day) => !day.startsWith("0000"), INVALID_DAY);

/** The largest offset of a page. */
export const MAX_OFFSET = 960;

/** A page begins here in the results that the first page found, which are kept under this name. */
const ResultPosition = z
  .tuple([z.int().min(0).max(MAX_OFFSET), z.string().regex(/^[0-9a-f]{64}$/)])
  .transform(([offset, results]) => ({ offset, results }));

export const ViralQuery = z
  .strictObject({
    q: z
      .string()
      .trim()
      .min(1, "Must be 1 to 200 characters.")
      .max(200, "Must be 1 to 200 characters.")
      .regex(/^[^\0]*$/, "Must not contain NUL.")
      .optional(),
    category: z.enum(CATEGORIES).optional(),
    business_type: z.enum(BUSINESS_TYPES).optional(),
    platform: z.enum(VIRAL_PLATFORMS).optional(),
    content_type: z.enum(CONTENT_TYPES).optional(),
    account: substringFilter
      .refine((handle) => /[^@]/.test(handle), "Must contain at least one character besides @.")
      .optional(),
    product_name: substringFilter.optional(),
    app_store_ids: commaList(z.string().regex(/^\d{1,20}$/, "Each must be a numeric app store id."), 100).optional(),
    max_slides: wholeNumber(1, 100).optional(),
    paid_reach: z.enum(["ads", "likely_or_ads", "not_ads"]).optional(),
    sponsored: z
      .enum(["true", "false"], "Must be true or false.")
      .transform((text) => text === "true")
      .optional(),
    language: commaList(z.string().toLowerCase().pipe(Language), 20).optional(),
    published_since: Day.optional(),
    published_until: Day.optional(),
    sort: z.enum(SORTS).optional(),
    limit: wholeNumber(1, 40).default(12),
    offset: wholeNumber(0, MAX_OFFSET).default(0),
    cursor: cursorField(ResultPosition).optional(),
  })
  .superRefine(({ published_since: since, published_until: until }, context) => {
    if (since === undefined || until === undefined || since <= until) return;
    context.addIssue({ code: "custom", path: ["published_until"], message: "Must be at or after published_since." });
  });

export type ViralPost = z.input<typeof ViralPost>;
export type ViralQuery = z.output<typeof ViralQuery>;
