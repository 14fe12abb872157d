// Failed deliveries go back into the queue; what cannot go back is told, post by post.
import type { Call } from "../call.ts";
import * as revisions from "../queries/revisions.ts";
import { nudgeDue } from "./nudge.ts";
import { DEADLINE_AFTER_DUE_MS } from "./timing.ts";

export async function retryPosts(call: Call, postIds: string[], accountIds: string[] | null) {
  const wanted = [...new Set(postIds.map((id) => id.toLowerCase()))];
  const deadlineAt = new Date(call.now.getTime() + DEADLINE_AFTER_DUE_MS);
  const request = { postIds: wanted, accountIds, now: call.now, deadlineAt };
  const seen = new Map(
    (await revisions.requeueFailed(call.db, call.key.scope, request)).map((post) => [post.postId, post]),
  );
  const errors: Record<string, string> = {};
  const ids: string[] = [];
  for (const id of wanted) {
    const post = seen.get(id);
    if (post && post.deliveryIds.length > 0) ids.push(id);
    else if (!post) errors[id] = "No post with this id is visible to the key.";
    else if (post.status === "failed" || post.status === "partial")
      errors[id] = accountIds
        ? "None of the accounts named has a failed delivery of it."
        : "None of its deliveries has failed.";
    else errors[id] = `The post is ${post.status}; only failed deliveries of failed or partial posts are sent again.`;
  }
  const deliveries = [...seen.values()].flatMap(({ deliveryIds }) =>
    deliveryIds.map((id) => ({ id, dueAt: call.now })),
  );
  nudgeDue(call, deliveries);
  return { retried: ids.length, ids, failed: Object.keys(errors), errors };
}
