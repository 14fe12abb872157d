// What callers read of a post that is late, or that waits for another one of its account.
import type { StoredPost } from "../queries/posts.ts";
import type { AccountState } from "../schemas/post.ts";

type Delivery = StoredPost["deliveries"][number];

/** The earlier post of the account; null unless this one is due and has to wait for it. */
export function describeWaiting({ waitingFor: [first] }: Delivery): AccountState["waiting_for"] {
  if (!first) return null;
  const { postId, isUnderWay, nextAttemptAt, deadlineAt, errorMessage } = first;
  const state = isUnderWay
    ? "It is being published now."
    : `Its next attempt is at ${nextAttemptAt.toISOString()}${errorMessage ? `, because: ${errorMessage}` : "."}`;
  const reason = `An account publishes its posts in the order they are due, and post ${postId} is due earlier. ${state}`;
  return { post_id: postId, reason, until: isUnderWay ? null : nextAttemptAt, until_at_most: deadlineAt };
}

/** Null unless the post is late and not yet published. */
export function describeOverdue(delivery: Delivery): AccountState["overdue"] {
  const { isOverdue, dueAt, stage, errorMessage } = delivery;
  if (!isOverdue || !dueAt) return null;
  const waiting = describeWaiting(delivery);
  if (waiting) return { since: dueAt, cause: "earlier_post", reason: waiting.reason };
  if (errorMessage) return { since: dueAt, cause: "retry", reason: errorMessage };
  if (stage !== "new") {
    return {
      since: dueAt,
      cause: "processing",
      reason: "The network is still processing the post. No action is needed.",
    };
  }
  const reason = "Publishing is delayed by this service. The post is published automatically, no action is needed.";
  return { since: dueAt, cause: "service_delay", reason };
}
