// A stored post in its public shape.
import type { toApprovalRow } from "../queries/event-rows.ts";
import { pickContent, type StoredPost } from "../queries/posts.ts";
import type { AccountState, Post } from "../schemas/post.ts";
import { type DeliveryPart, getLinkCard } from "../shared/post-content.ts";
import { describeOverdue, describeRisk, describeWaiting } from "./delays.ts";

type Delivery = StoredPost["deliveries"][number];

export function toAccountState(delivery: Delivery): AccountState {
  const isComment = delivery.parts?.[delivery.part - 1]?.kind === "comment";
  return {
    account_id: delivery.accountId,
    status: delivery.status,
    published_at: delivery.publishedAt,
    published_url: delivery.publishedUrl,
    // What is wrong with a first comment stands there.
    error_code: isComment ? null : delivery.errorCode,
    error_message: isComment ? null : delivery.errorMessage,
    warnings: delivery.warnings ?? [],
    last_attempted_at: delivery.lastAttemptedAt,
    attempts: delivery.attempts,
    next_attempt_at: delivery.nextAttemptAt,
    waiting_for: describeWaiting(delivery),
    overdue: describeOverdue(delivery),
    at_risk: describeRisk(delivery),
    ...toPartStates(delivery),
  };
}

/** The parts of a thread and the first comment as callers see them. */
function toPartStates({ part, parts, errorMessage }: Delivery): Pick<AccountState, "parts" | "first_comment"> {
  const all = (parts ?? []).map(({ kind, status, url, error }, at) => {
    const isCurrent = at === part - 1 && status === "waiting";
    return { kind, state: { status, url, error_message: isCurrent ? errorMessage : error } };
  });
  const states = (kind: DeliveryPart["kind"]) => all.flatMap((one) => (one.kind === kind ? [one.state] : []));
  const replies = states("reply");
  return { first_comment: states("comment")[0] ?? null, parts: replies.length > 0 ? replies : null };
}

export function toPostResponse(post: StoredPost): Post {
  const { id, status, scheduledAt, schedule, createdAt, updatedAt, externalId, metadata, deliveries } = post;
  const { musicUrl, settings: _, overrides, firstComment, link, ...content } = pickContent(post);
  return {
    id,
    ...content,
    status,
    scheduled_at: scheduledAt,
    schedule,
    created_at: createdAt,
    updated_at: updatedAt,
    music_url: musicUrl,
    first_comment: firstComment,
    link: getLinkCard(link),
    external_id: externalId,
    metadata,
    accounts: {
      total: deliveries.length,
      overrides,
      states: deliveries.map(toAccountState),
    },
  };
}

/** An approval link, without what opens it. */
export function toApprovalResponse(link: ReturnType<typeof toApprovalRow>) {
  return {
    ...{ id: link.id, post_id: link.postId, recipient: link.recipient, message: link.message },
    ...{ fingerprint: link.planHash, decision: link.decision, comment: link.comment },
    ...{ decided_at: link.decidedAt, withdrawn_at: link.withdrawnAt, expires_at: link.expiresAt },
    created_at: link.createdAt,
  };
}
