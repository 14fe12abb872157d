// Outcomes of an attempt: the change of the delivery row, and the message that the caller reads.
import { backoffMs } from "../jobs/backoff.ts";
import type { Failure, Processing, Published } from "../platforms/platform.ts";
import type { ClaimedDelivery, DeliveryChange, TraceEntry } from "../queries/deliveries.ts";
import { PLATFORM_DETAILS } from "../shared/platforms.ts";
import { MAX_ATTEMPTS, rateLimitBackoffMs } from "./timing.ts";

/** Ends the attempt: the row change with the time of the next check (null: none), and a trace entry. */
export interface Outcome {
  change: DeliveryChange;
  trace: TraceEntry;
}

const NO_ERROR = { errorCode: null, errorMessage: null } as const;

/** How long to poll for the permalink of a published post: moderation can hold it back for days. */
const PERMALINK_DEADLINE_MS = 30 * 24 * 60 * 60 * 1000;
const PERMALINK_POLL_MS = { least: 60_000, most: 6 * 60 * 60 * 1000 } as const;

/** A post found by reconciling was sent by an attempt that is already counted. */
export function published(
  step: string,
  { platformPostId, url }: Published,
  claimed: ClaimedDelivery,
  now: Date,
): Outcome {
  const posted = {
    status: "posted",
    attempts: step === "reconcile" ? claimed.attempts : claimed.attempts + 1,
    publishedAt: now,
    publishedUrl: url,
    platformPostId,
    ...NO_ERROR,
  } as const;
  const change: DeliveryChange = url
    ? { ...posted, stage: "done", nextAttemptAt: null }
    : {
        ...posted,
        stage: "sent",
        nextAttemptAt: new Date(now.getTime() + PERMALINK_POLL_MS.least),
        deadlineAt: new Date(now.getTime() + PERMALINK_DEADLINE_MS),
      };
  return { change, trace: { step, outcome: "posted" } };
}

/** The network is still processing: check again after the interval it gave. */
export function stillProcessing(step: string, { afterMs, handle }: Omit<Processing, "state">, now: Date): Outcome {
  const nextAttemptAt = new Date(now.getTime() + afterMs);
  const change: DeliveryChange = { status: "pending", nextAttemptAt, ...NO_ERROR, ...(handle ? { handle } : {}) };
  return { change, trace: { step, outcome: "processing" } };
}

/** The app of this service may not call the network for now: nothing was sent, and nothing counts as an attempt. */
export function waitForNetwork(
  claimed: ClaimedDelivery,
  { reason, retryAt }: { reason: "open" | "empty"; retryAt: Date },
): Outcome {
  const { platform } = claimed.account;
  const [code, message] =
    reason === "open"
      ? (["network_unavailable", `${platform} fails most requests at the moment. We continue automatically.`] as const)
      : ([
          "network_busy",
          `More posts are due on ${platform} than it takes at once. We continue automatically.`,
        ] as const);
  return retryLater(claimed.stage, retryAt, claimed, code, message, {});
}

/** The invocation used up its budget: nothing more was sent, and another invocation continues from the same stage. */
export function postponed({ stage, handle }: ClaimedDelivery, now: Date): Outcome {
  return { change: { stage, handle, nextAttemptAt: now }, trace: { step: stage, outcome: "postponed" } };
}

/** A published post without a permalink: polled ever less often, half of the time since it was published. */
export function permalinkPending({ publishedAt }: ClaimedDelivery, now: Date): Outcome {
  const waitedMs = publishedAt ? now.getTime() - publishedAt.getTime() : 0;
  const afterMs = Math.min(PERMALINK_POLL_MS.most, Math.max(PERMALINK_POLL_MS.least, waitedMs / 2));
  return {
    change: { nextAttemptAt: new Date(now.getTime() + afterMs) },
    trace: { step: "permalink", outcome: "pending" },
  };
}

export function permalinkFound({ platformPostId, url }: Published): Outcome {
  return {
    change: { publishedUrl: url, platformPostId, stage: "done", nextAttemptAt: null },
    trace: { step: "permalink", outcome: "found" },
  };
}

export function permalinkUnavailable(): Outcome {
  return { change: { stage: "done", nextAttemptAt: null }, trace: { step: "permalink", outcome: "unavailable" } };
}

/** Ends the delivery as failed. */
export function permanentlyFailed(step: string, code: string, message: string): Outcome {
  const change: DeliveryChange = {
    status: "failed",
    stage: "done",
    nextAttemptAt: null,
    errorCode: code,
    errorMessage: message,
  };
  return { change, trace: { step, outcome: "failed", code, message } };
}

/** Each worker that claimed the delivery ended before it stored anything, so another try would only end the next one. */
export function claimedTooOften(claimed: ClaimedDelivery): Outcome {
  if (claimed.status === "posted") return permalinkUnavailable();
  const why = "This service could not finish the delivery: each attempt ended with an internal error.";
  const { stage } = claimed;
  if (stage === "armed" || stage === "sent") return outcomeUnknown(claimed, why);
  return permanentlyFailed(
    stage,
    "internal_error",
    `${why} Retry the post later, or contact support with the id of the post.`,
  );
}

/** Counts the attempt that ended the delivery. */
export function countAttempt({ attempts }: ClaimedDelivery, outcome: Outcome): Outcome {
  return { ...outcome, change: { ...outcome.change, attempts: attempts + 1 } };
}

/** A failure with nothing published: schedules a retry if one can help, otherwise fails the delivery. */
export function retryOrFail(claimed: ClaimedDelivery, failed: Failure, now: Date, random: number): Outcome {
  const { code, message } = failed;
  const step = claimed.stage;
  if (failed.class === "content" || failed.class === "account")
    return countAttempt(claimed, permanentlyFailed(step, code, message));
  // Stores the current stage as well: the row may still be `armed` although the call was never made.
  const back: DeliveryChange = failed.restart ? { stage: "new", handle: null } : { stage: claimed.stage };
  // What only time or the operator can end does not count as an attempt of the customer's post.
  if (failed.class === "rate_limited" || failed.operator) {
    const soonest = now.getTime() + backoffMs(claimed.attempts + 1, random);
    const backoffUntil = now.getTime() + rateLimitBackoffMs(claimed.deadlineAt, now);
    const at = new Date(Math.max(failed.retryAt?.getTime() ?? backoffUntil, soonest));
    return retryLater(step, at, claimed, code, `${message}${describeNextAttempt(at, claimed)}`, back);
  }
  const attempts = claimed.attempts + 1;
  if (attempts >= Math.min(MAX_ATTEMPTS, failed.tries ?? MAX_ATTEMPTS)) {
    const finalMessage = `${message} Failed after ${attempts} attempts. Retry the post when the network is available again.`;
    return countAttempt(claimed, permanentlyFailed(step, code, finalMessage));
  }
  const at = new Date(now.getTime() + backoffMs(attempts, random));
  return retryLater(step, at, claimed, code, `${message}${describeNextAttempt(at, claimed)}`, { ...back, attempts });
}

/** Caps the time at the deadline, when the delivery fails with its reason. */
function capAtDeadline(at: Date, { deadlineAt }: ClaimedDelivery): Date {
  return at < deadlineAt ? at : deadlineAt;
}

const NEXT_ATTEMPT = " The next attempt is at ";

function describeNextAttempt(at: Date, { deadlineAt }: ClaimedDelivery): string {
  if (at < deadlineAt) return `${NEXT_ATTEMPT}${at.toISOString()}. No action is needed.`;
  const next = at.toISOString();
  return ` The next attempt would be at ${next}, after the deadline at ${deadlineAt.toISOString()}. Retry the post after ${next}.`;
}

function retryLater(
  step: string,
  at: Date,
  claimed: ClaimedDelivery,
  code: string,
  message: string,
  rest: DeliveryChange,
): Outcome {
  return {
    change: {
      status: "retry",
      nextAttemptAt: capAtDeadline(at, claimed),
      errorCode: code,
      errorMessage: message,
      ...rest,
    },
    trace: { step, outcome: "retry", code, message },
  };
}

/** The answer to the irreversible call was lost: reconcile with the network before anything else. */
export function reconcileLater(
  step: string,
  failed: Pick<Failure, "message">,
  claimed: ClaimedDelivery,
  now: Date,
): Outcome {
  const attempts = claimed.attempts + 1;
  const at = new Date(now.getTime() + backoffMs(attempts, 0, RECONCILE_BACKOFF));
  const message = `${failed.message} We are checking with the network whether the post was published and do not send it again until then.`;
  return {
    change: {
      status: "retry",
      stage: claimed.stage,
      handle: claimed.handle,
      nextAttemptAt: at,
      errorCode: "outcome_unknown",
      errorMessage: message,
      attempts,
    },
    trace: { step, outcome: "unknown", code: "outcome_unknown", message },
  };
}

/** The network reports no post, but the lost call may still arrive: check again after the grace period. */
export function recheckLater(claimed: ClaimedDelivery, at: Date): Outcome {
  const outcome = reconcileLater("reconcile", { message: "The network's response was lost." }, claimed, at);
  return { ...outcome, change: { ...outcome.change, attempts: claimed.attempts, nextAttemptAt: at } };
}

/** Reading is cheap, and networks list a new post with a delay. */
const RECONCILE_BACKOFF = { firstMs: 5_000, mostMs: 5 * 60_000 } as const;

/** Inconclusive checks before the delivery fails and the caller is asked to check the account. */
const MAX_RECONCILE_ATTEMPTS = 8;

export function inconclusive(claimed: ClaimedDelivery, now: Date): Outcome {
  const { username } = claimed.account;
  const { name } = PLATFORM_DETAILS[claimed.account.platform];
  const reason = { message: `${name} does not report whether the post was published.` };
  if (claimed.attempts + 1 < MAX_RECONCILE_ATTEMPTS) return reconcileLater("reconcile", reason, claimed, now);
  return outcomeUnknown(claimed, `${name} cannot report whether the post was published (${username}).`);
}

/**
 * Ends the delivery with an unknown outcome and asks the caller to check the account. The stage is kept, so that a
 * retry reconciles with the network before anything is sent.
 */
export function outcomeUnknown({ account, stage }: ClaimedDelivery, why: string): Outcome {
  const { name } = PLATFORM_DETAILS[account.platform];
  const message = `${why} Check the account ${account.username} on ${name}. If the post is not there, retry it with resend: true.`;
  const outcome = permanentlyFailed("reconcile", "outcome_unknown", message);
  return { ...outcome, change: { ...outcome.change, stage } };
}

/** The deadline has passed; the last reported error is the reason. */
export function deadlineExceeded({ account, stage, deadlineAt, errorMessage }: ClaimedDelivery): Outcome {
  const unstarted = `It was queued behind other posts of the account ${account.username}.`;
  const unfinished = `${PLATFORM_DETAILS[account.platform].name} did not finish processing it.`;
  // The stored message also announced an attempt that no longer takes place.
  const [why = ""] = (errorMessage ?? (stage === "new" ? unstarted : unfinished)).split(NEXT_ATTEMPT);
  const advice = why.includes("Retry the post") ? "" : " Retry the post.";
  const message = `The post was not published by its deadline, ${deadlineAt.toISOString()}. ${why}${advice}`;
  return permanentlyFailed("deadline", "deadline_exceeded", message);
}

/** The account was disconnected before the delivery was due and was not connected again: nothing was sent. */
export function accountDisconnected({ account: { username, platform, status } }: ClaimedDelivery): Outcome {
  const { name } = PLATFORM_DETAILS[platform];
  const message = `The post was cancelled because the ${name} account ${username} was ${status} when it was due. Reconnect the account, then create the post again.`;
  const outcome = permanentlyFailed("open", "account_disconnected", message);
  return { ...outcome, change: { ...outcome.change, status: "void" } };
}

export function accountPaused(claimed: ClaimedDelivery, now: Date): Outcome {
  const message = `The account ${claimed.account.username} is paused. To publish the post, resume the account in the dashboard before ${claimed.deadlineAt.toISOString()}.`;
  // What was prepared or begun may expire during the pause.
  const restart = { stage: "new", handle: null, readyAt: null } as const;
  return retryLater("open", new Date(now.getTime() + 5 * 60_000), claimed, "account_paused", message, restart);
}
