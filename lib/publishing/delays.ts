// Explains a post that is late, that waits for another one of its account, or that would fail as things are.
import { getReconnectBy } from "../platforms/token-lifetimes.ts";
import type { StoredPost } from "../queries/posts.ts";
import type { AccountState } from "../schemas/post.ts";
import { PLATFORM_DETAILS } from "../shared/platforms.ts";

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

/** Why a scheduled post would not go out as things are, with the fix; null when nothing is known to be in its way. */
export function describeRisk(delivery: Delivery): AccountState["at_risk"] {
  const { account, dueAt, status, risk } = delivery;
  if (status !== "scheduled" || !dueAt) return null;
  const name = `The ${PLATFORM_DETAILS[account.platform].name} account ${account.username}`;
  const time = dueAt.toISOString();
  if (account.status === "paused") {
    return { code: "account_paused", reason: `${name} is paused. Resume it before ${time}, when the post is due.` };
  }
  if (account.status !== "active") {
    const why = account.statusReason ? ` (${account.statusReason})` : "";
    const reason = `${name} is disconnected${why}. Connect it again before ${time}; otherwise the post is cancelled.`;
    return { code: "account_disconnected", reason };
  }
  const endsAt = getReconnectBy(account);
  if (endsAt && endsAt <= dueAt) {
    const reason = `The connection of the account ${account.username} ends at ${endsAt.toISOString()}, before the post is due. Connect the account again before then.`;
    return { code: "reconnect_before", reason };
  }
  return risk?.tokenVersion === account.tokenVersion ? { code: risk.code, reason: risk.reason } : null;
}
