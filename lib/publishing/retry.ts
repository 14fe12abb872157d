// Retries the failed deliveries of posts, and reports per post why nothing was retried.
import { enqueueByKind } from "../jobs/enqueue.ts";
import { type RequeuedPost, requeueFailedPosts } from "../queries/post-retries.ts";
import type { PostRetry } from "../schemas/post-body.ts";
import type { RequestContext } from "../services/context.ts";
import { AT_ONCE } from "../shared/schedule.ts";
import { planFirstAttempt } from "./first-attempt.ts";

export async function retryPosts(call: RequestContext, { post_ids: postIds, account_ids, resend = false }: PostRetry) {
  const firstAttempt = planFirstAttempt({ ...AT_ONCE, media: null }, call.now);
  const request = { postIds, accountIds: account_ids ?? null, resend, firstAttempt, now: call.now };
  const found = await requeueFailedPosts(call.db, call.key.scope, request);
  const errors: Record<string, string> = {};
  for (const id of postIds) {
    const error = describeRetryError(
      found.find(({ postId }) => postId === id),
      request.accountIds,
    );
    if (error) errors[id] = error;
  }
  const requeued = found.flatMap(({ postId, deliveries }) => deliveries.map((delivery) => ({ postId, ...delivery })));
  enqueueByKind(
    call,
    requeued.map(({ id, kind }) => ({ id, kind, dueAt: call.now })),
    call.now,
  );
  const ids = postIds.filter((id) => !(id in errors));
  const warnings = requeued.filter(({ isUnknown }) => isUnknown && !resend).map(warnOfUnknownOutcome);
  return { retried: ids.length, ids, failed: Object.keys(errors), errors, warnings };
}

/** Null when deliveries of the post are retried. */
function describeRetryError(post: RequeuedPost | undefined, accountIds: string[] | null): string | null {
  if (!post) return "No post with this id is visible to the key.";
  if (post.deliveries.length > 0) return null;
  if (post.status === "posted") return "The post is posted, and no first comment of it has failed.";
  if (post.status !== "failed" && post.status !== "partial") {
    return `The post is ${post.status}; only failed and partial posts can be retried.`;
  }
  return accountIds
    ? "None of the given accounts has a failed delivery of this post."
    : "No delivery of this post has failed.";
}

function warnOfUnknownOutcome({ postId, accountId }: { postId: string; accountId: string }) {
  const message =
    "It is unknown whether the post was published to this account. The retry only checks with the network. If the post is not there, retry with resend: true.";
  return { post_id: postId, account_id: accountId, code: "outcome_unknown", message };
}
