// The metrics of a post, and its engagement rate.

export const METRICS = ["views", "likes", "comments", "shares", "saves"] as const;
export type Metrics = Record<(typeof METRICS)[number], number>;

/** The metrics of a post: its network may hide the likes, or the comments where they are off. */
export type PostMetrics = Omit<Metrics, "likes" | "comments"> & { likes: number | null; comments: number | null };

/** The gains of several posts; those with a hidden number are in the sums, but not in a rate. */
export type Gains = Metrics & { unratedViews: number; unratedInteractions: number };

/** Interactions per view of the posts that show both; 0 without views. */
export function engagementRate(gains: Gains): number {
  const views = gains.views - gains.unratedViews;
  return views > 0 ? (interactions(gains) - gains.unratedInteractions) / views : 0;
}

/** Interactions per view; null when the network hides a number of them. */
export function postEngagementRate({ likes, comments, ...shown }: PostMetrics): number | null {
  if (likes === null || comments === null) return null;
  return engagementRate({ ...shown, likes, comments, unratedViews: 0, unratedInteractions: 0 });
}

export function interactions({ likes, comments, shares, saves }: Metrics): number {
  return likes + comments + shares + saves;
}

/** A post of an account as its network reports it. */
export interface FetchedPost extends PostMetrics {
  platformPostId: string;
  kind: "video" | "image" | "carousel";
  publishedAt: Date;
  caption: string;
  permalink: string | null;
  thumbnailUrl: string | null;
  durationSeconds: number | null;
}
