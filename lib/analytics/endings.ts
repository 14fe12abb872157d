// How an attempt at a refresh ends that met a failure: tried again, or failed with a reason, in words for the customer.
import type { Failure } from "../platforms/platform.ts";
import { backoffMs } from "../publishing/timing.ts";
import type { Claimed, Ending } from "../queries/analytics-refreshes.ts";
import { NAMES } from "./eyes.ts";
import { ATTEMPTS_AT_MOST } from "./timing.ts";

type Known = Pick<Claimed, "attempts" | "deadlineAt" | "error" | "target">;

/** A network that asks for patience is asked less and less, and never for that reason given up before the deadline. */
const PATIENCE = 5;

/** What went wrong on our side of the wire, and so needs other words. */
const OURS = ["account_busy", "fault"];

/** There is more to read than one invocation may; it goes on at once. */
export function goesOn(now: Date): Ending {
  return { status: "processing", attempts: 0, nextAttemptAt: now, errorCode: null, error: null };
}

export function failedFor(code: string, error: string, attempts: number): Ending {
  return { status: "failed", attempts, nextAttemptAt: null, errorCode: code, error };
}

export function overdue({ attempts, error }: Known): Ending {
  return failedFor("overdue", `The refresh was not done in time. ${error ?? ""}`.trim(), attempts);
}

export function endingOf(known: Known, failed: Failure, now: Date, random: number): Ending {
  const attempts = known.attempts + 1;
  const patient = now.getTime() + backoffMs(attempts, random);
  if (failed.class === "rate_limited") {
    const retryAt = new Date(Math.max(failed.retryAt?.getTime() ?? 0, patient));
    return again(known, { ...failed, retryAt }, retryAt, Math.min(attempts, PATIENCE));
  }
  const passes = failed.class === "transient" || failed.class === "unanswered";
  if (passes && attempts < ATTEMPTS_AT_MOST) return again(known, failed, new Date(patient), attempts);
  return failedFor(failed.code, reasonOf(known, failed), attempts);
}

function again(known: Known, failed: Failure, at: Date, attempts: number): Ending {
  const reason = reasonOf(known, failed);
  if (at >= known.deadlineAt) return failedFor(failed.code, `${reason} That is too late for this refresh.`, attempts);
  const error = `${reason} We ask again by ourselves.`;
  return { status: "pending", attempts, nextAttemptAt: at, errorCode: failed.code, error };
}

function reasonOf({ target }: Known, { class: kind, code, message, retryAt }: Failure): string {
  const network = NAMES[target.platform];
  const name = target.identifier;
  if (OURS.includes(code)) return message;
  if (code === "account_unknown") return `${network} knows no account ${name}. Check how it is written.`;
  switch (kind) {
    case "rate_limited":
      return `${network} takes no more questions before ${retryAt?.toISOString()} (${code}).`;
    case "auth":
      return `${network} no longer accepts the account's sign-in (${code}). Connect it again, then refresh.`;
    case "account":
      return `${network} does not show the posts of ${name} to us (${code}). Connect the account again and allow reading.`;
    case "content":
      return `${network} refused the question for the posts of ${name} (${code}). Please tell support.`;
    default:
      return `${network} did not answer (${code}).`;
  }
}
