// Prepares a delivery before it is due: token, upload and container, so that at its time only the irreversible call is left.
import type { Job } from "../platforms/platform.ts";
import { type ClaimedDelivery, markAccountDisconnected } from "../queries/deliveries.ts";
import { type Attempt, pollUntilLater, toFailure, withFreshToken } from "./attempt-context.ts";
import { reserveDailyUpload } from "./daily-uploads.ts";
import { admitToNetwork } from "./network-limits.ts";
import { type Outcome, postponed } from "./outcomes.ts";

/** A failed preparation is tried again after this time, and once more when the delivery is due. */
const RETRY_MS = 60_000;

/** A delivery that is not due: it is claimed without its account, and nothing becomes visible. */
export function isPreparation({ holdsAccount, stage }: ClaimedDelivery): boolean {
  return !holdsAccount && stage !== "sent";
}

/** Returns null when the lease was lost: the post was changed or deleted, or another worker goes on. */
export async function prepareDelivery(work: Attempt): Promise<Outcome | null> {
  const { services, claimed, lease } = work;
  const { account } = claimed;
  // What is wrong is reported when the delivery is due; until then it may be put right.
  if (account.type === "hosted" || account.status !== "active" || !claimed.inScope) return waitUntilDue(claimed);
  const admission = await admitToNetwork(services, claimed);
  if (admission.reason !== "admitted") {
    const change = { nextAttemptAt: capAtDue(admission.retryAt, claimed) };
    return { change, trace: { step: "prepare", outcome: "postponed" } };
  }
  try {
    return await withFreshToken(work, (job) => runPreparation(work, job));
  } catch (error) {
    if (!lease.isHeld()) return null;
    if (services.budget.remainingRequests() === 0) return postponed(claimed, services.clock());
    const failed = toFailure(services, claimed, error);
    if (failed.class === "auth") {
      await markAccountDisconnected(services.db, account, failed.message, services.clock());
      return waitUntilDue(claimed);
    }
    const lost = failed.restart ? ({ stage: "new", handle: null } as const) : {};
    const { code, message } = failed;
    const risk = { code: "preparation_failed", reason: message, tokenVersion: account.tokenVersion } as const;
    const change = { stage: claimed.stage, handle: claimed.handle, ...lost, risk };
    const at = new Date(services.clock().getTime() + RETRY_MS);
    return {
      change: { ...change, nextAttemptAt: capAtDue(at, claimed) },
      trace: { step: "prepare", outcome: "retry", code, message },
    };
  }
}

async function runPreparation(work: Attempt, job: Job): Promise<Outcome | null> {
  const { services, publisher, claimed } = work;
  if (claimed.stage === "new") {
    await reserveDailyUpload(services, claimed);
    // Stored with the outcome: a start that is lost can be repeated.
    Object.assign(claimed, { handle: await publisher.start(job), stage: "started" });
  }
  const polled = await pollUntilLater(work, job);
  if (!polled) return null;
  const now = services.clock();
  const handle = ("handle" in polled ? polled.handle : undefined) ?? claimed.handle;
  if (polled.state === "processing") {
    const at = new Date(now.getTime() + polled.afterMs);
    const change = { stage: "started", handle, nextAttemptAt: capAtDue(at, claimed) } as const;
    return { change, trace: { step: "prepare", outcome: "processing" } };
  }
  const change = { stage: "started", handle, readyAt: now, risk: null, nextAttemptAt: claimed.dueAt } as const;
  return { change, trace: { step: "prepare", outcome: "ready" } };
}

function waitUntilDue(claimed: ClaimedDelivery): Outcome {
  const change = { stage: "new", handle: null, nextAttemptAt: claimed.dueAt } as const;
  return { change, trace: { step: "prepare", outcome: "postponed" } };
}

function capAtDue(at: Date, { dueAt }: ClaimedDelivery): Date {
  return at < dueAt ? at : dueAt;
}
