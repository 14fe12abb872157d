// Retries the failed deliveries of posts, and reports per post why nothing was retried.

import type * as z from "zod";
import { enqueueByKind } from "../jobs/enqueue.ts";
import { requeueFailedPosts } from "../queries/post-retries.ts";
import type { PostRetry } from "../schemas/post-body.ts";
import type { RequestContext } from "../services/context.ts";
import { DEADLINE_AFTER_DUE_MS } from "./timing.ts";

export async function retryPosts(call: RequestContext, body: z.output<typeof PostRetry>) {
  const wanted = [...new Set(body.post_ids.map((id) => id.toLowerCase()))];
  const resend = body.resend ?? false;
  const deadlineAt = new Date(call.now.getTime() + DEADLINE_AFTER_DUE_MS);
  const accountIds = body.account_ids ?? null;
  const request = { postIds: wanted, accountIds, resend, now: call.now, deadlineAt };
  const seen = new Map((await requeueFailedPosts(call.db, call.key.scope, request)).map((post) => [post.postId, post]));
  const errors: Record<string, string> = {};
  const ids: string[] = [];
  for (const id of wanted) {
    const post = seen.get(id);
    if (post && post.deliveries.length > 0) ids.push(id);
    else if (!post) errors[id] = "No post with this id is visible to the key.";
    else if (post.status === "failed" || post.status === "partial")
      errors[id] = accountIds
        ? "None of the given accounts has a failed delivery of this post."
        : "No delivery of this post has failed.";
    else errors[id] = `The post is ${post.status}; only failed and partial posts can be retried.`;
  }
  const requeued = [...seen.values()].flatMap(({ postId, deliveries }) =>
    deliveries.map((delivery) => ({ postId, ...delivery })),
  );
  enqueueByKind(
    call,
    requeued.map(({ id, kind }) => ({ id, kind, dueAt: call.now })),
    call.now,
  );
  const warnings = requeued.filter(({ isUnknown }) => isUnknown && !resend).map(warnOfUnknownOutcome);
  return { retried: ids.length, ids, failed: Object.keys(errors), errors, warnings };
}

function warnOfUnknownOutcome({ postId, accountId }: { postId: string; accountId: string }) {
  const message =
    "It is unknown whether the post was published to this account. The retry only checks with the network. If the post is not there, retry with resend: true.";
  return { post_id: postId, account_id: accountId, code: "outcome_unknown", message };
}
