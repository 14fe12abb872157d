// The metrics of a post, and its engagement rate.
import type { Metric, PostKind } from "../shared/metrics.ts";

export type Metrics = Record<Metric, number>;

/** The metrics of a post: its network may hide a number, or not give it at all. */
export type PostMetrics = Record<Metric, number | null>;

/** The gains of several posts; those whose rate is not known are in the sums, but not in a rate. */
export type Gains = Metrics & { unratedViews: number; unratedInteractions: number };

/** Interactions per view of the posts whose rate is known; 0 without views. */
export function engagementRate(gains: Gains): number {
  const views = gains.views - gains.unratedViews;
  return views > 0 ? (interactions(gains) - gains.unratedInteractions) / views : 0;
}

/** Interactions per view; null when the network hides, or does not give, the views, the likes or the comments. */
export function postEngagementRate({ views, likes, comments, shares, saves }: PostMetrics): number | null {
  if (views === null || likes === null || comments === null) return null;
  const counted = { views, likes, comments, shares: shares ?? 0, saves: saves ?? 0 };
  return engagementRate({ ...counted, unratedViews: 0, unratedInteractions: 0 });
}

export function interactions({ likes, comments, shares, saves }: Metrics): number {
  return likes + comments + shares + saves;
}

/** A post of an account as its network reports it. */
export interface FetchedPost extends PostMetrics {
  platformPostId: string;
  kind: PostKind;
  publishedAt: Date;
  caption: string;
  permalink: string | null;
  thumbnailUrl: string | null;
  durationSeconds: number | null;
}
