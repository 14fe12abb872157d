// How a delivery's step ends: each outcome as the change of its row, in words for the customer.
import type { Failure, Processing, Published } from "../platforms/platform.ts";
import type { Change, Claimed, Trace } from "../queries/deliveries.ts";
import { ATTEMPTS_AT_MOST, backoffMs, patienceMs } from "./timing.ts";

/** A step that ends the attempt: what to write, and when to look again (null: nothing is left to do). */
export interface Ending {
  change: Change;
  trace: Trace;
}

const CLEAN = { errorCode: null, errorMessage: null } as const;

/** A published post whose network names its address later is asked again for this long. */
const ADDRESS_WITHIN_MS = 60 * 60 * 1000;
const ASK_ADDRESS_AFTER_MS = 60_000;

/** A post that is found by looking was sent by a try that is counted already. */
export function published(step: string, { platformPostId, url }: Published, claimed: Claimed, now: Date): Ending {
  const settled = {
    status: "posted",
    attempts: step === "reconcile" ? claimed.attempts : claimed.attempts + 1,
    publishedAt: now,
    publishedUrl: url,
    platformPostId,
    ...CLEAN,
  } as const;
  const change: Change = url
    ? { ...settled, stage: "done", nextAttemptAt: null }
    : {
        ...settled,
        stage: "sent",
        nextAttemptAt: new Date(now.getTime() + ASK_ADDRESS_AFTER_MS),
        deadlineAt: new Date(now.getTime() + ADDRESS_WITHIN_MS),
      };
  return { change, trace: { step, outcome: "posted" } };
}

/** Not done yet at the network: look again when it says. */
export function waiting(step: string, { afterMs, handle }: Omit<Processing, "state">, now: Date): Ending {
  const nextAttemptAt = new Date(now.getTime() + afterMs);
  const change: Change = { status: "pending", nextAttemptAt, ...CLEAN, ...(handle ? { handle } : {}) };
  return { change, trace: { step, outcome: "processing" } };
}

/** A post that is out and has no address yet: nothing but the address may change any more. */
export function unnamed(now: Date): Ending {
  return {
    change: { nextAttemptAt: new Date(now.getTime() + ASK_ADDRESS_AFTER_MS) },
    trace: { step: "address", outcome: "unnamed" },
  };
}

export function named({ platformPostId, url }: Published): Ending {
  return {
    change: { publishedUrl: url, platformPostId, stage: "done", nextAttemptAt: null },
    trace: { step: "address", outcome: "named" },
  };
}

export function staysUnnamed(): Ending {
  return { change: { stage: "done", nextAttemptAt: null }, trace: { step: "address", outcome: "given_up" } };
}

/** Ends the delivery for good. */
export function lost(step: string, code: string, message: string): Ending {
  const change: Change = {
    status: "failed",
    stage: "done",
    nextAttemptAt: null,
    errorCode: code,
    errorMessage: message,
  };
  return { change, trace: { step, outcome: "failed", code, message } };
}

/** The try that ends it counts, too. */
export function lastTry({ attempts }: Claimed, ending: Ending): Ending {
  return { ...ending, change: { ...ending.change, attempts: attempts + 1 } };
}

/** A failure before or instead of publishing: nothing is out. Tries again where that can help. */
export function failedStep(claimed: Claimed, failed: Failure, now: Date, random: number): Ending {
  const { code, message } = failed;
  const step = claimed.stage;
  if (failed.class === "content" || failed.class === "account") return lastTry(claimed, lost(step, code, message));
  // The stage in hand is written too: what the last checkpoint left may be one that was armed and never fired.
  const back: Change = failed.restart ? { stage: "new", handle: null } : { stage: claimed.stage };
  if (failed.class === "rate_limited") {
    const soonest = now.getTime() + backoffMs(claimed.attempts + 1, random);
    const patient = now.getTime() + patienceMs(claimed.deadlineAt, now);
    const at = new Date(Math.max(failed.retryAt?.getTime() ?? patient, soonest));
    return retryAt(step, at, claimed, code, `${message} ${nextTry(at, claimed)}`, back);
  }
  const attempts = claimed.attempts + 1;
  if (attempts >= ATTEMPTS_AT_MOST) {
    const told = `${message} Gave up after ${attempts} tries; retry the post when the network is well again.`;
    return lastTry(claimed, lost(step, code, told));
  }
  const at = new Date(now.getTime() + backoffMs(attempts, random));
  return retryAt(step, at, claimed, code, `${message} ${nextTry(at, claimed)}`, { ...back, attempts });
}

/** Never later than the deadline, where the delivery ends with its reason. */
function atMost(at: Date, { deadlineAt }: Claimed): Date {
  return at < deadlineAt ? at : deadlineAt;
}

function nextTry(at: Date, { deadlineAt }: Claimed): string {
  if (at < deadlineAt) return `The next try is at ${at.toISOString()}; nothing needs to be done.`;
  const [free, end] = [at.toISOString(), deadlineAt.toISOString()];
  return `No other try before ${free}, and at ${end} the post is given up: retry it then.`;
}

function retryAt(step: string, at: Date, claimed: Claimed, code: string, message: string, rest: Change): Ending {
  return {
    change: { status: "retry", nextAttemptAt: atMost(at, claimed), errorCode: code, errorMessage: message, ...rest },
    trace: { step, outcome: "retry", code, message },
  };
}

/** The irreversible call was made and its answer is lost: look at the network before anything else happens. */
export function unknownOutcome(step: string, failed: Pick<Failure, "message">, claimed: Claimed, now: Date): Ending {
  const attempts = claimed.attempts + 1;
  const at = new Date(now.getTime() + lookAgainMs(attempts));
  const message = `${failed.message} Whether the post went out is being checked with the network; it is not sent again meanwhile.`;
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

/** The network says that nothing is out, too soon after the call to be sure that it will not arrive yet. */
export function stillUnknown(claimed: Claimed, believable: Date): Ending {
  const ending = unknownOutcome("reconcile", { message: "The answer of the network was lost." }, claimed, believable);
  return { ...ending, change: { ...ending.change, attempts: claimed.attempts, nextAttemptAt: believable } };
}

/** Looking costs nothing, so it begins soon; networks need a moment until their lists show a post. */
function lookAgainMs(attempt: number): number {
  return Math.min(5 * 60_000, 5_000 * 2 ** (attempt - 1));
}

/** How often a network that cannot tell is asked before a person has to look. */
const LOOKS_AT_MOST = 8;

export function cannotTell(claimed: Claimed, now: Date): Ending {
  const { platform, username } = claimed.account;
  const told = { message: `${platform} does not say whether the post went out.` };
  if (claimed.attempts + 1 < LOOKS_AT_MOST) return unknownOutcome("reconcile", told, claimed, now);
  return unresolved(claimed, `${platform} cannot say whether the post is out (${username}).`);
}

/**
 * Ended without knowing: the only honest answer is to ask a person to look. The stage stays, so that a retry looks at
 * the network again before anything is sent.
 */
export function unresolved({ account, stage }: Claimed, why: string): Ending {
  const message = `${why} Look at the account ${account.username} on ${account.platform}: if the post is not there, create it again.`;
  const ending = lost("reconcile", "outcome_unknown", message);
  return { ...ending, change: { ...ending.change, stage } };
}

/** The deadline has passed; what the caller was told last is the reason. */
export function overdue({ account, stage, deadlineAt, errorMessage }: Claimed): Ending {
  const unstarted = `Its turn on the account ${account.username} never came.`;
  const why = errorMessage ?? (stage === "new" ? unstarted : `${account.platform} did not finish processing it.`);
  const message = `Not published by ${deadlineAt.toISOString()}, so given up; a retry of the post tries again. ${why}`;
  return lost("deadline", "deadline_exceeded", message);
}

/** What the posts are told that waited for an account when its connection died: none of them can be retried. */
export function cancelled({ account: { username, platform } }: Claimed): string {
  return `Cancelled before it left: ${platform} no longer accepts the sign-in of ${username}. Connect the account again, then create the post again.`;
}

export function paused(claimed: Claimed, now: Date): Ending {
  const message = `The account ${claimed.account.username} is paused. Resume it in the dashboard before ${claimed.deadlineAt.toISOString()}, and the post goes out by itself.`;
  return retryAt("open", new Date(now.getTime() + 5 * 60_000), claimed, "account_paused", message, {});
}
