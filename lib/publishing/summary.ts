// Counts per status as the post list tells them: six buckets, and two sums over them.
import type { PostStatus } from "../../drizzle/schema/posts.ts";

/** `deleted` and `void` count in the total only. */
export function summarize(counts: Map<PostStatus, number>) {
  const of = (status: PostStatus) => counts.get(status) ?? 0;
  const by_status = {
    draft: of("draft"),
    pending: of("pending") + of("retry"),
    scheduled: of("scheduled"),
    posted: of("posted"),
    partial: of("partial"),
    failed: of("failed"),
  };
  return {
    total: [...counts.values()].reduce((sum, count) => sum + count, 0),
    pending: by_status.pending + by_status.scheduled,
    published: by_status.posted + by_status.partial,
    by_status,
  };
}
