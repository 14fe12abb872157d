// What is counted of a post, and the rate that follows from it.

export const METRICS = ["views", "likes", "comments", "shares", "saves"] as const;
export type Metrics = Record<(typeof METRICS)[number], number>;

/** Interactions per view; 0 where nobody looked. */
export function engagementRate({ views, ...metrics }: Metrics): number {
  return views > 0 ? interactions({ views, ...metrics }) / views : 0;
}

export function interactions({ likes, comments, shares, saves }: Metrics): number {
  return likes + comments + shares + saves;
}
