// Summarizes post counts for the list: a count per status, and sums of the pending and published ones.
import type { PostStatus } from "../shared/post-status.ts";

/** `deleted` and `void` count in the total only. */
export function summarizeStatusCounts(counts: Map<PostStatus, number>) {
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
