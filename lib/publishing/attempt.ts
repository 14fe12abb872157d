// Runs one attempt at one delivery: the publisher's stages, with a checkpoint before and after each irreversible step.
import { MAX_CLAIMS } from "../jobs/backoff.ts";
import { type Lease, withLease } from "../jobs/lease.ts";
import { NOT_SENT } from "../platforms/http.ts";
import { getFailure, type Handle, type Job, type Publisher } from "../platforms/platform.ts";
import { listFollowingDeliveries } from "../queries/claim-releases.ts";
import {
  type ClaimedDelivery,
  type DeliveryChange,
  extendDeliveryLease,
  markAccountDisconnected,
  type RecordedStep,
  recordStep,
  type TraceEntry,
} from "../queries/deliveries.ts";
import type { DueDelivery } from "../queries/due-accounts.ts";
import { PLATFORM_DETAILS } from "../shared/platforms.ts";
import { pause, retry } from "../shared/retry.ts";
import { toWorkKind } from "../shared/work-kinds.ts";
import {
  type Attempt,
  type AttemptServices,
  logError,
  pollUntilLater,
  toFailure,
  withFreshToken,
} from "./attempt-context.ts";
import { reserveDailyUpload } from "./daily-uploads.ts";
import { logStep, startSteps } from "./log-step.ts";
import { admitToNetwork, noteAttempt } from "./network-limits.ts";
import {
  accountDisconnected,
  accountPaused,
  claimedTooOften,
  countAttempt,
  deadlineExceeded,
  inconclusive,
  type Outcome,
  outcomeUnknown,
  permalinkFound,
  permalinkPending,
  permalinkUnavailable,
  permanentlyFailed,
  postponed,
  published,
  recheckLater,
  reconcileLater,
  retryOrFail,
  stillProcessing,
  waitForNetwork,
} from "./outcomes.ts";
import { isPreparation, prepareDelivery } from "./prepare.ts";
import { getPublisher } from "./publish-context.ts";
import { ARM_MARGIN_MS, ARM_MARGIN_REQUESTS, LEASE_MS, NOT_PUBLISHED_GRACE_MS, READY_FOR_MS } from "./timing.ts";

/** Attempts to record a step in quick succession; then one a second, as long as the invocation may wait. */
const QUICK_RECORD_ATTEMPTS = 3;
const RECORD_PAUSE_MS = 1_000;

/** Returns what is due after the attempt: the next check of the delivery, and the next delivery of its account. */
export async function attemptDelivery(services: AttemptServices, claimed: ClaimedDelivery): Promise<DueDelivery[]> {
  startSteps(services, claimed);
  const extend = (until: Date) => extendDeliveryLease(services.db, claimed, until, null);
  return withLease(services, claimed, { leaseMs: LEASE_MS, extend }, async (lease) => {
    const outcome = await runAttempt(services, claimed, lease);
    if (!outcome) return [];
    const { change } = outcome;
    const recorded = await recordWithRetries(services, claimed, change, outcome.trace, null);
    // Without a lease the outcome may be stored all the same: the answer of an earlier try was lost.
    if (!recorded) return listFollowingDeliveries(services.db, claimed, services.clock());
    const kind = (change.stage ?? claimed.stage) === "sent" ? "confirmations" : toWorkKind(claimed.post.media);
    return [{ id: claimed.id, kind, dueAt: change.nextAttemptAt ?? null }, ...recorded.next];
  });
}

/** Returns null when the lease was lost during the attempt. */
async function runAttempt(services: AttemptServices, claimed: ClaimedDelivery, lease: Lease): Promise<Outcome | null> {
  const { account } = claimed;
  const publisher = getPublisher(services, account);
  if (!publisher)
    return permanentlyFailed(
      "open",
      "platform_unavailable",
      `Publishing to ${PLATFORM_DETAILS[account.platform].name} is not available. Remove this account from the post.`,
    );
  const work: Attempt = { services, publisher, claimed, lease };
  if (claimed.claims > MAX_CLAIMS.alone) return claimedTooOften(claimed);
  if (claimed.status === "posted") return fetchPermalink(work);
  if (isPreparation(claimed)) return prepareDelivery(work);
  if (!mayBePublished(claimed)) {
    if (isPastDeadline(services, claimed)) return deadlineExceeded(claimed);
    if (!claimed.inScope) {
      const message = `The account ${account.username} no longer belongs to the workspace of this post. Create the post again with a key of the account's workspace.`;
      return permanentlyFailed("open", "account_moved", message);
    }
    if (account.status === "paused") return accountPaused(claimed, services.clock());
    if (account.status !== "active") return accountDisconnected(claimed);
  }
  if (!mayBePublished(claimed)) {
    const admission = await admitToNetwork(services, claimed);
    if (admission.reason !== "admitted") return waitForNetwork(claimed, admission);
  }
  try {
    const outcome = await withFreshToken(work, (job) => runStage(work, job));
    noteAttempt(services, claimed, outcome?.trace.outcome !== "unknown");
    return outcome;
  } catch (error) {
    if (!lease.isHeld()) return null;
    if (services.budget.remainingRequests() === 0) return postponed(claimed, services.clock());
    const failed = getFailure(error);
    if (failed) noteAttempt(services, claimed, failed.class !== "transient" && failed.class !== "unanswered");
    return await toFailureOutcome(services, claimed, error);
  }
}

/** The irreversible call may have been made, so only the network's answer can end this delivery. */
function mayBePublished({ stage }: ClaimedDelivery): boolean {
  return stage === "armed" || stage === "sent";
}

function isPastDeadline(services: AttemptServices, { deadlineAt }: ClaimedDelivery): boolean {
  return services.clock() >= deadlineAt;
}

async function toFailureOutcome(services: AttemptServices, claimed: ClaimedDelivery, error: unknown): Promise<Outcome> {
  const reported = toFailure(services, claimed, error);
  if (reported.operator) services.log({ level: "error", delivery: claimed.id, operator: reported.message });
  // A delivery that may be published ends only when the network reports that this attempt published nothing.
  const open = mayBePublished(claimed) && !reported.restart;
  if (reported.class === "auth") {
    await markAccountDisconnected(services.db, claimed.account, reported.message, services.clock());
    return open
      ? outcomeUnknown(claimed, reported.message)
      : countAttempt(claimed, permanentlyFailed("refresh", reported.code, reported.message));
  }
  if (!open) return retryOrFail(claimed, reported, services.clock(), services.random());
  return isPastDeadline(services, claimed)
    ? outcomeUnknown(claimed, reported.message)
    : reconcileLater(claimed.stage, reported, claimed, services.clock());
}

/** Fetches the permalink of a published post; on any error the delivery stays posted. */
async function fetchPermalink(work: Attempt): Promise<Outcome> {
  const { services, publisher, claimed } = work;
  if (isPastDeadline(services, claimed)) return permalinkUnavailable();
  try {
    const result = await withFreshToken(work, (job) => publisher.poll(job, claimed.handle ?? {}));
    return result.state === "published" && result.url
      ? permalinkFound(result)
      : permalinkPending(claimed, services.clock());
  } catch (error) {
    if (!getFailure(error)) logError(services, claimed, error);
    return permalinkPending(claimed, services.clock());
  }
}

/** Continues from the stage in the row until the attempt ends. */
async function runStage(work: Attempt, job: Job): Promise<Outcome | null> {
  const { services, publisher, claimed } = work;
  if (claimed.stage === "armed") return reconcile(work, job);
  if (claimed.stage === "new") {
    await reserveDailyUpload(services, claimed);
    // A post that is sent again on the caller's word has a handle that says so.
    const handle = { ...claimed.handle, ...(await publisher.start(job)) };
    if (!(await saveCheckpoint(work, "started", handle, "start"))) return null;
  }
  if (isReady(services, claimed)) return publish(work, job);
  const sent = claimed.stage === "sent";
  const step = sent ? "confirm" : "poll";
  const polled = await pollUntilLater(work, job);
  if (!polled) return null;
  if (polled.state === "published") return published(step, polled, claimed, services.clock());
  if (polled.state === "processing") {
    if (!isPastDeadline(services, claimed)) return stillProcessing(step, polled, services.clock());
    return sent
      ? outcomeUnknown(claimed, `${claimed.account.platform} accepted the post but did not finish publishing it.`)
      : deadlineExceeded(claimed);
  }
  if (polled.handle) claimed.handle = polled.handle;
  return publish(work, job);
}

/** Prepared so shortly before that nothing can have expired. */
function isReady({ clock }: AttemptServices, { stage, readyAt }: ClaimedDelivery): boolean {
  return stage === "started" && readyAt !== null && clock().getTime() - readyAt.getTime() < READY_FOR_MS;
}

/** Makes the one irreversible call, between the checkpoints `armed` and `sent`. */
async function publish(work: Attempt, job: Job): Promise<Outcome | null> {
  const { services, publisher, claimed, lease } = work;
  // Another worker may soon take over this lease, or the platform end this invocation, so the call is left to another one.
  const isShort = lease.remainingMs() < ARM_MARGIN_MS || services.budget.remainingRequests() < ARM_MARGIN_REQUESTS;
  if (!claimed.holdsAccount || isShort) return stillProcessing("arm", { afterMs: 0 }, services.clock());
  if (!(await saveCheckpoint(work, "armed", claimed.handle ?? {}, "arm"))) return null;
  let answer: Awaited<ReturnType<Publisher["publish"]>>;
  try {
    answer = await publisher.publish(job, claimed.handle ?? {});
  } catch (error) {
    const failed = getFailure(error);
    // An error without a failure class may have occurred after the call was sent.
    if (!failed || failed.class === "unanswered") {
      return reconcileLater(
        "publish",
        failed ?? { message: "The connection was lost during the call." },
        claimed,
        services.clock(),
      );
    }
    // The network rejected the call, or did not receive it, so the delivery returns to the stage before `armed`.
    const step = failed.code === NOT_SENT ? "not sent" : "rejected";
    if (!(await saveCheckpoint(work, "started", claimed.handle ?? {}, step))) return null;
    throw error;
  }
  if (answer.state === "published") return published("publish", answer, claimed, services.clock());
  // Kept in memory in case the next checkpoint fails: reconciling needs the handle.
  claimed.handle = answer.handle;
  if (!(await saveCheckpoint(work, "sent", answer.handle, "sent"))) return null;
  return runStage(work, job);
}

async function reconcile(work: Attempt, job: Job): Promise<Outcome | null> {
  const { services, publisher, claimed } = work;
  // A worker that ended during the call could not count the attempt.
  if (claimed.errorCode !== "outcome_unknown") claimed.attempts += 1;
  const result = await publisher.reconcile(job, claimed.handle ?? {});
  const now = services.clock();
  if (result.state === "published") return published("reconcile", result, claimed, now);
  if (result.state === "not_published") {
    const graceEndsAt = (claimed.armedAt?.getTime() ?? 0) + NOT_PUBLISHED_GRACE_MS;
    if (now.getTime() < graceEndsAt) return recheckLater(claimed, new Date(graceEndsAt));
    if (isPastDeadline(services, claimed)) return deadlineExceeded(claimed);
    const [stage, handle] = result.handle ? (["started", result.handle] as const) : (["new", {}] as const);
    if (!(await saveCheckpoint(work, stage, handle, "reconcile"))) return null;
    return runStage(work, job);
  }
  if (isPastDeadline(services, claimed))
    return outcomeUnknown(claimed, `${claimed.account.platform} did not confirm the post.`);
  return result.state === "processing" ? stillProcessing("reconcile", result, now) : inconclusive(claimed, now);
}

/** Stores the stage and handle; returns false when the lease was lost. */
async function saveCheckpoint(
  { services, claimed, lease }: Attempt,
  stage: ClaimedDelivery["stage"],
  handle: Handle,
  step: string,
): Promise<boolean> {
  const change = { stage, handle, ...(stage === "armed" ? { armedAt: services.clock(), readyAt: null } : {}) };
  const recorded = await recordWithRetries(services, claimed, change, { step, outcome: stage }, lease.renew());
  Object.assign(claimed, change);
  return recorded !== null;
}

/**
 * Retries while the database is unavailable: this row prevents a post from being lost or published twice, and without it
 * the account waits until the lease ends. A lease that was lost meanwhile is noticed by the statement.
 */
async function recordWithRetries(
  services: AttemptServices,
  claimed: ClaimedDelivery,
  change: DeliveryChange,
  trace: TraceEntry,
  leaseUntil: Date | null,
): Promise<RecordedStep | null> {
  const record = () => recordStep(services.db, claimed, change, trace, services.clock(), leaseUntil);
  const recorded = await retry(record, (_error, tries) => {
    // Arming is not retried: whether it was stored or not, nothing has been sent yet.
    if (change.stage === "armed") return false;
    return tries < QUICK_RECORD_ATTEMPTS ? pause(200 * tries) : services.wait(RECORD_PAUSE_MS);
  });
  if (recorded) logStep(services, claimed, trace);
  return recorded;
}
