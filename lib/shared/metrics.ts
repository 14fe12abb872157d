// The numbers of a post that networks report, and what is known about those that one does not.
import type { Platform } from "./platforms.ts";

export const METRICS = ["views", "likes", "comments", "shares", "saves"] as const;
export type Metric = (typeof METRICS)[number];

export const POST_KINDS = ["video", "image", "carousel", "text"] as const;
export type PostKind = (typeof POST_KINDS)[number];

/**
 * The numbers that each network reports of a post; the pages are named where each is read, in lib/analytics/readers.
 * LinkedIn reports saves of people's posts only, and its reader says so of a page.
 */
export const REPORTED_METRICS: Readonly<Record<Platform, readonly Metric[]>> = {
  tiktok: ["views", "likes", "comments", "shares"],
  instagram: METRICS,
  youtube: ["views", "likes", "comments"],
  twitter: METRICS,
  pinterest: ["views", "likes", "comments"],
  threads: ["views", "likes", "comments", "shares"],
  linkedin: METRICS,
  facebook: ["views", "likes", "comments", "shares"],
  bluesky: ["likes", "comments", "shares", "saves"],
};

/**
 * `not_given`: the network has no such number. `permission_missing`: the account did not grant what it needs. `refused`: the
 * network does not give it any more, or not now; the numbers of earlier refreshes are kept.
 */
export const MISSING_COVERAGES = ["not_given", "permission_missing", "refused"] as const;

export interface MissingNumber {
  coverage: (typeof MISSING_COVERAGES)[number];
  /** The permission that is missing, by the network's name of it. */
  permission?: string;
  /** When the number was last given; absent if it never was. */
  refreshedAt?: string;
}

/** By metric; those that are given are absent. */
export type MissingNumbers = Partial<Record<Metric, MissingNumber>>;

/** What is missing of an account that was not refreshed yet. */
export function listUnreported(platform: Platform): MissingNumbers {
  const missing = METRICS.filter((metric) => !REPORTED_METRICS[platform].includes(metric));
  return Object.fromEntries(missing.map((metric) => [metric, { coverage: "not_given" }]));
}
