// Names what happens to a delivery: before a call, by the response of a call, or by its failure. Pure.

import { MAX_CLAIMS } from "../jobs/backoff.ts";
import { NOT_SENT } from "../platforms/http.ts";
import type { Failure, Handle, Published, Publisher, PublishWarning } from "../platforms/platform.ts";
import type { ClaimedDelivery } from "../queries/deliveries.ts";
import type { DeliveryPart } from "../shared/post-content.ts";
import { PHASES } from "./delivery-table.ts";
import type { EventName, Phase, Stage } from "./delivery-terms.ts";
import type { Admission } from "./network-limits.ts";
import { MAX_ATTEMPTS, NOT_PUBLISHED_GRACE_MS } from "./timing.ts";

/** A claimed delivery and its phase. A step returns a new one; nothing changes it in place. */
export type Delivery = Readonly<ClaimedDelivery> & { readonly phase: Phase };

/** The reply or comment that the stage is about; null while it is about the post itself. */
export const getCurrentPart = ({ part, parts }: Pick<ClaimedDelivery, "part" | "parts">): DeliveryPart | null =>
  parts?.[part - 1] ?? null;

export interface DeliveryEvent {
  name: EventName;
  /** Replaces the stored handle. */
  handle?: Handle | undefined;
  /** Milliseconds until the network should be asked again. */
  afterMs?: number;
  /** When the network may be called again. */
  retryAt?: Date;
  platformPostId?: string | null;
  url?: string | null;
  warnings?: PublishWarning[] | undefined;
  failure?: Failure;
  /** The failure occurred in this stage, if not in the current phase. */
  stage?: Stage;
}

type Polled = Awaited<ReturnType<Publisher["poll"]>>;
type Reconciled = Awaited<ReturnType<Publisher["reconcile"]>>;
type Sent = Awaited<ReturnType<Publisher["publish"]>>;

/** Inconclusive checks before the delivery ends and the caller is asked to check the account. */
const MAX_RECONCILE_ATTEMPTS = 8;

/** The error code of a delivery whose outcome is unknown. */
export const OUTCOME_UNKNOWN = "outcome_unknown";

/** The phase of a delivery that was just claimed. */
export function openDelivery(claimed: ClaimedDelivery): Delivery {
  const { stage, status, holdsAccount, attempts } = claimed;
  const current = getCurrentPart(claimed);
  if (status === "posted" && current?.status !== "waiting") return { ...claimed, phase: "permalink" };
  if (stage === "sent") return { ...claimed, phase: "sent" };
  if (stage === "armed") {
    // A worker that ended during the call could not count the attempt.
    const isCounted = claimed.errorCode === OUTCOME_UNKNOWN;
    return { ...claimed, phase: "armed", attempts: isCounted ? attempts : attempts + 1 };
  }
  if (stage === "started") return { ...claimed, phase: holdsAccount ? "started" : "preparing" };
  return { ...claimed, phase: holdsAccount ? "new" : "unprepared" };
}

/** Finds the reason why a claimed delivery cannot continue; null if there is none. */
export function findObstacle(delivery: Delivery, now: Date): DeliveryEvent | null {
  const { phase, account, claims, inScope, deadlineAt } = delivery;
  const isLate = now >= deadlineAt;
  if (claims > MAX_CLAIMS.alone) return { name: "claimed_too_often" };
  if (phase === "permalink") return isLate ? { name: "deadline_passed" } : null;
  if (isUnconfirmed(phase)) return null;
  if (isEarly(phase)) {
    const isUsable = account.type !== "hosted" && account.status === "active" && inScope;
    return isUsable ? null : { name: "account_unusable" };
  }
  if (isLate) return { name: "deadline_passed" };
  if (!inScope) return { name: "account_moved" };
  if (account.status === "paused") return { name: "account_paused" };
  return account.status === "active" ? null : { name: "account_disconnected" };
}

/** Before its time a delivery is prepared without its account, and nothing becomes visible. */
export const isEarly = (phase: Phase): boolean => phase === "unprepared" || phase === "preparing";

/** The irreversible call may have been made, so only the network's response can end the delivery. */
const isUnconfirmed = (phase: Phase): boolean => phase === "publishing" || phase === "armed" || phase === "sent";

/** Checks of what was sent do not count against the limits of the app. */
export const isSent = (phase: Phase): boolean => isUnconfirmed(phase) || phase === "permalink";

/** A call depends on these facts beside the delivery. */
export interface CallFacts {
  now: Date;
  /** In [0, 1): spreads the retries of a burst. */
  random: number;
  isOutOfBudget: boolean;
  /** Lease and budget suffice for the irreversible call. */
  canArm: boolean;
}

export function toAdmissionEvent(admission: Admission): DeliveryEvent | null {
  if (admission.reason === "admitted") return null;
  const name = admission.reason === "open" ? "network_unavailable" : "network_busy";
  return { name, retryAt: admission.retryAt };
}

export function toPollEvent(delivery: Delivery, polled: Polled, now: Date): DeliveryEvent {
  const { phase, deadlineAt } = delivery;
  if (phase === "permalink") {
    return polled.state === "published" && polled.url
      ? { name: "published", platformPostId: polled.platformPostId, url: polled.url }
      : { name: "published_unlisted" };
  }
  if (polled.state === "processing") {
    const { afterMs, handle } = polled;
    if (afterMs === 0) return { name: "part_uploaded", handle };
    if (!isEarly(phase) && now >= deadlineAt) return { name: "deadline_passed" };
    return { name: "processing", afterMs, handle };
  }
  if (polled.state === "published" && !isEarly(phase)) return toPublishedEvent(delivery, polled);
  return { name: "ready", handle: "handle" in polled ? polled.handle : undefined };
}

/** The irreversible call is left to another attempt when this one may not finish it, or does not have the account. */
export function toArmEvent(
  { phase, holdsAccount }: Delivery,
  event: DeliveryEvent,
  { canArm }: CallFacts,
): DeliveryEvent {
  const isArming = phase === "started" && event.name === "ready";
  return isArming && !(holdsAccount && canArm) ? { ...event, name: "no_room" } : event;
}

export function toPublishEvent(delivery: Delivery, sent: Sent): DeliveryEvent {
  return sent.state === "published" ? toPublishedEvent(delivery, sent) : { name: "accepted", handle: sent.handle };
}

function toPublishedEvent(delivery: Delivery, { platformPostId, url, warnings }: Published): DeliveryEvent {
  const { part, parts, publishedUrl } = delivery;
  const next = parts?.[part];
  const found = { platformPostId, url, warnings };
  if (next) return { ...found, name: next.kind === "reply" ? "reply_follows" : "comment_follows" };
  // Only the permalink of the post itself is looked up later.
  const isUnlisted = part === 0 ? !url : !publishedUrl;
  return { ...found, name: isUnlisted ? "published_unlisted" : "published" };
}

export function toReconcileEvent(delivery: Delivery, result: Reconciled, now: Date): DeliveryEvent {
  const { armedAt, deadlineAt, attempts } = delivery;
  if (result.state === "published") return toPublishedEvent(delivery, result);
  const isLate = now >= deadlineAt;
  if (result.state === "not_published") {
    const graceEndsAt = new Date((armedAt?.getTime() ?? 0) + NOT_PUBLISHED_GRACE_MS);
    // The lost call may still arrive.
    if (now < graceEndsAt) return { name: "too_early", retryAt: graceEndsAt };
    if (isLate) return { name: "not_published_in_time" };
    return result.handle ? { name: "not_published_resumable", handle: result.handle } : { name: "not_published" };
  }
  if (isLate) return { name: "deadline_passed" };
  if (result.state === "processing") return { name: "processing", afterMs: result.afterMs, handle: result.handle };
  return { name: attempts + 1 < MAX_RECONCILE_ATTEMPTS ? "cannot_tell" : "cannot_tell_finally" };
}

/** Returns the event of an irreversible call that failed; null for other calls, which change nothing. */
export function toCallEnd(phase: Phase, failure: Failure | null): DeliveryEvent | null {
  if (phase !== "publishing") return null;
  // An error without a failure class may have occurred after the call was sent.
  if (!failure || failure.class === "unanswered") return { name: "response_lost", failure: failure ?? LOST_RESPONSE };
  return { name: failure.code === NOT_SENT ? "not_sent" : "call_rejected" };
}

/** A failure of a call as events: first that everything begins again, if so, then the failure. Null: an internal error. */
export function toFailureEvents(
  delivery: Delivery,
  failure: Failure | null,
  { now, isOutOfBudget }: Pick<CallFacts, "now" | "isOutOfBudget">,
): DeliveryEvent[] {
  const known = failure ?? INTERNAL_ERROR;
  const { stage } = PHASES[delivery.phase];
  if (delivery.phase === "permalink") return [{ name: "check_failed", failure: known }];
  if (isOutOfBudget) return [{ name: "out_of_budget" }];
  const event = { name: nameFailure(delivery, known, now), failure: known, stage };
  return known.restart ? [{ name: "begin_again" }, event] : [event];
}

const LOST_RESPONSE: Failure = {
  class: "unanswered",
  code: OUTCOME_UNKNOWN,
  message: "The connection was lost during the call.",
};

const INTERNAL_ERROR: Failure = {
  class: "transient",
  code: "internal_error",
  message: "An internal error occurred.",
};

function nameFailure({ phase, attempts, deadlineAt }: Delivery, failure: Failure, now: Date): EventName {
  if (failure.class === "auth") return "token_rejected";
  if (isEarly(phase)) return "failed";
  // A delivery that may be published ends only when the network reports that this attempt published nothing.
  if (isUnconfirmed(phase) && !failure.restart) return now >= deadlineAt ? "check_failed_finally" : "check_failed";
  if (failure.class === "rate_limited" || failure.operator) return "deferred";
  if (failure.class === "content" || failure.class === "account") return "post_rejected";
  const isLast = attempts + 1 >= Math.min(MAX_ATTEMPTS, failure.tries ?? MAX_ATTEMPTS);
  return isLast ? "attempts_used_up" : "failed";
}

/** Returns true if the network responded to the last call of an attempt; null if the event says nothing about the network. */
export function hasNetworkResponded({ name, failure }: DeliveryEvent): boolean | null {
  if (name === "out_of_budget" || failure === INTERNAL_ERROR) return null;
  if (failure) return failure.class !== "transient" && failure.class !== "unanswered";
  return name !== "too_early" && name !== "cannot_tell";
}
