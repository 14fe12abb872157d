// The filter of the viral library, in words for people. All of it stands in the address.
import type { FC } from "hono/jsx";
import * as z from "zod";
import { LANGUAGES } from "../../../lib/schemas/languages.ts";
import {
  BUSINESS_TYPES,
  CATEGORIES,
  CONTENT_TYPES,
  SORTS,
  VIRAL_PLATFORMS,
  type ViralPost,
} from "../../../lib/schemas/viral.ts";
import { getPlatformName } from "../format.ts";
import { Choice, countSet, FilterFold } from "../forms.tsx";

export const MAX_TEXT = 200;
const MAX_SLIDES = 100;

const PAID_WORDS = { ads: "Only ads", likely_or_ads: "Ads, also likely ones", not_ads: "No ads" } as const;
const SPONSORED_WORDS = { true: "Only paid creators", false: "No paid creators" } as const;
const CONTENT_WORDS: Record<ViralPost["content_type"], string> = {
  slideshow: "Slideshow",
  video: "Video",
  mixed: "Video and pictures",
};
const SORT_WORDS: Record<(typeof SORTS)[number], string> = {
  relevance: "Best match",
  newest: "Newest here",
  latest_posted: "Posted last",
  most_views: "Most views",
  most_likes: "Most likes",
  most_comments: "Most comments",
  most_slides: "Most slides",
};
const BUSINESS_WORDS: Record<(typeof BUSINESS_TYPES)[number], string> = {
  app: "App",
  ecommerce: "Shop",
  saas: "Software",
  service: "Service",
  affiliate: "Affiliate",
  creator: "Creator",
  game: "Game",
  book: "Book",
  other: "Other",
  unclassified: "Not known",
};

const text = z
  .string()
  .trim()
  .min(1)
  .transform((value) => value.slice(0, MAX_TEXT).toWellFormed())
  .optional()
  .catch(undefined);
const oneOf = <Values extends readonly [string, ...string[]]>(values: Values) =>
  z.enum(values).optional().catch(undefined);
const day = z.iso
  .date()
  .refine((value) => value >= "1970")
  .optional()
  .catch(undefined);

/** A value that does not fit is left out, so that an old link still opens the library. */
export const LibraryFilter = z.object({
  q: text,
  category: oneOf(CATEGORIES as unknown as [string, ...string[]]),
  platform: oneOf(VIRAL_PLATFORMS),
  content_type: oneOf(CONTENT_TYPES),
  language: z
    .string()
    .refine((code) => LANGUAGES.has(code))
    .optional()
    .catch(undefined),
  published_since: day,
  published_until: day,
  paid_reach: oneOf(Object.keys(PAID_WORDS) as [string, ...string[]]),
  sponsored: oneOf(["true", "false"]),
  max_slides: z.coerce.number().int().min(1).max(MAX_SLIDES).optional().catch(undefined),
  business_type: oneOf(BUSINESS_TYPES as unknown as [string, ...string[]]),
  product_name: text,
  account: text,
  sort: oneOf(SORTS as unknown as [string, ...string[]]),
});
export type LibraryFilter = z.output<typeof LibraryFilter>;

export function toQuery(filter: LibraryFilter): Record<string, string> {
  const given = Object.entries(filter).filter(([, value]) => value !== undefined);
  return Object.fromEntries(given.map(([name, value]) => [name, String(value)]));
}

/** Null if the library can be searched with it. */
export function findFilterProblem({ published_since: since, published_until: until, account }: LibraryFilter) {
  if (since && until && since > until) return "Posted until: choose a day that is not before the first one.";
  return account && !/[^@]/.test(account) ? "Account: enter more than @." : null;
}

/** Fields that are seldom needed are folded, unless one of them is set. */
const SELDOM = [
  ...(["language", "published_since", "published_until", "paid_reach", "sponsored", "max_slides"] as const),
  ...(["business_type", "product_name", "account"] as const),
];

export const LibraryFilterForm: FC<{ filter: LibraryFilter }> = ({ filter }) => (
  <search>
    <form class="library-filter" method="get" aria-label="Search the library">
      <div class="filters">
        <label class="wide">
          What it is about
          <input name="q" value={filter.q ?? ""} maxlength={MAX_TEXT} placeholder="a morning routine with a product" />
        </label>
        <FilterFold set={countSet(filter.category, filter.platform, filter.content_type, filter.sort)}>
          <Choice
            name="category"
            label="Category"
            value={filter.category}
            options={CATEGORIES.map((one) => [one, capitalize(one)])}
          />
          <Choice
            name="platform"
            label="Network"
            value={filter.platform}
            options={VIRAL_PLATFORMS.map((one) => [one, getPlatformName(one)])}
          />
          <Choice
            name="content_type"
            label="Kind"
            value={filter.content_type}
            options={Object.entries(CONTENT_WORDS)}
          />
          <Choice
            name="sort"
            label="Order"
            value={filter.sort ?? (filter.q ? "relevance" : "newest")}
            options={Object.entries(SORT_WORDS)}
            isRequired
          />
        </FilterFold>
        <button type="submit">Search</button>
        {Object.values(filter).some((value) => value !== undefined) && <a href="?">Clear</a>}
      </div>
      <details open={SELDOM.some((name) => filter[name] !== undefined)}>
        <summary>More filters</summary>
        <div class="filters">
          <Choice name="language" label="Language" value={filter.language} options={listLanguages()} />
          <Day name="published_since" label="Posted since" value={filter.published_since} />
          <Day name="published_until" label="Posted until" value={filter.published_until} />
          <Choice name="paid_reach" label="Paid reach" value={filter.paid_reach} options={Object.entries(PAID_WORDS)} />
          <Choice
            name="sponsored"
            label="Paid creators"
            value={filter.sponsored}
            options={Object.entries(SPONSORED_WORDS)}
          />
          <label>
            Slides at most
            <input name="max_slides" type="number" min={1} max={MAX_SLIDES} value={filter.max_slides} />
          </label>
          <Choice
            name="business_type"
            label="Business"
            value={filter.business_type}
            options={Object.entries(BUSINESS_WORDS)}
          />
          <label>
            Product
            <input name="product_name" value={filter.product_name ?? ""} maxlength={MAX_TEXT} />
          </label>
          <label>
            Account
            <input name="account" value={filter.account ?? ""} maxlength={MAX_TEXT} autocapitalize="none" />
          </label>
        </div>
      </details>
    </form>
  </search>
);

const Day: FC<{ name: string; label: string; value: string | undefined }> = ({ name, label, value }) => (
  <label>
    {label}
    <input type="date" name={name} value={value} />
  </label>
);

export const capitalize = (word: string): string => word.slice(0, 1).toUpperCase() + word.slice(1);

export const describeKind = (kind: ViralPost["content_type"]): string => CONTENT_WORDS[kind];

const NAMES = new Intl.DisplayNames("en", { type: "language", fallback: "code" });

export const getLanguageName = (code: string): string => NAMES.of(code) ?? code;

function listLanguages(): [code: string, name: string][] {
  return [...LANGUAGES]
    .map((code): [string, string] => [code, getLanguageName(code)])
    .sort(([, a], [, b]) => a.localeCompare(b, "en"));
}
