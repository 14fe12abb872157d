// Numbers and days of analytics as people read them.
import type * as z from "zod";
import type { SummaryPosts, Target } from "../../../lib/schemas/analytics.ts";
import { METRICS } from "../../../lib/shared/metrics.ts";
import { formatNumber } from "../format.ts";

/** As the operations respond with them. */
export type TrackedAccount = z.output<typeof Target>;
export type PostsPage = z.output<typeof SummaryPosts>;
export type MeasuredPost = PostsPage["posts"][number];

export function formatRate(value: number): string {
  return `${(value * 100).toFixed(1)} %`;
}

/** The measures of a post and of a period, in words. */
export const MEASURE_WORDS = {
  views: "Views",
  likes: "Likes",
  comments: "Comments",
  shares: "Shares",
  saves: "Saves",
  engagementRate: "Engagement",
} as const;

/** The orders of posts, in words. */
export const SORT_WORDS = { ...MEASURE_WORDS, publishedAt: "Newest" } as const;
export type Sort = keyof typeof SORT_WORDS;
export const SORTS = Object.keys(SORT_WORDS) as [Sort, ...Sort[]];

/** The numbers of a post; those that its network hides or does not give are left out. */
export function listMetrics({ metrics, engagementRate }: MeasuredPost): string[] {
  const counts = METRICS.flatMap((name) => {
    const value = metrics[name];
    return value === null ? [] : [`${formatNumber(value)} ${name}`];
  });
  return engagementRate === null ? counts : [...counts, `${formatRate(engagementRate)} engagement`];
}
