// The metrics of a post, and its engagement rate.

export const METRICS = ["views", "likes", "comments", "shares", "saves"] as const;
export type Metrics = Record<(typeof METRICS)[number], number>;

/** Interactions per view; 0 without views. */
export function engagementRate({ views, ...metrics }: Metrics): number {
  return views > 0 ? interactions({ views, ...metrics }) / views : 0;
}

export function interactions({ likes, comments, shares, saves }: Metrics): number {
  return likes + comments + shares + saves;
}

/** A post of an account as its network reports it. */
export interface FetchedPost extends Metrics {
  platformPostId: string;
  kind: "video" | "image" | "carousel";
  publishedAt: Date;
  caption: string;
  permalink: string | null;
  thumbnailUrl: string | null;
  durationSeconds: number | null;
}
