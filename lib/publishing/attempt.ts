// One attempt at one delivery: goes through the driver's steps, with a checkpoint before and after each that matters.
import { setTimeout as sleep } from "node:timers/promises";
import type { World } from "../call.ts";
import { describeError } from "../describe-error.ts";
import { type Carrier, type Failure, failure, failureOf, type Handle, type Job } from "../platforms/platform.ts";
import * as deliveries from "../queries/deliveries.ts";
import { carrierOf, openJob, RECONNECT, renewed } from "./job.ts";
import { type Lease, withLease } from "./lease.ts";
import {
  cancelled,
  cannotTell,
  type Ending,
  failedStep,
  lastTry,
  lost,
  named,
  overdue,
  paused,
  published,
  staysUnnamed,
  stillUnknown,
  unknownOutcome,
  unnamed,
  unresolved,
  waiting,
} from "./steps.ts";
import { ARM_MARGIN_MS, BELIEVE_AFTER_MS } from "./timing.ts";

export type Io = Pick<World, "db" | "env" | "fetch" | "clock" | "log" | "resolveHost"> & { random: () => number };

/** Writing down what the network said is worth this many tries. */
const RECORD_TRIES = 3;

interface Attempt {
  io: Io;
  driver: Carrier;
  /** Kept in step with the row. */
  claimed: deliveries.Claimed;
  lease: Lease;
}

/** When the delivery should be looked at next; null when it is done or somebody else has it now. */
export async function attempt(io: Io, claimed: deliveries.Claimed): Promise<Date | null> {
  return withLease(io, claimed, async (lease) => {
    const ending = await endingOf(io, claimed, lease);
    if (!ending) return null;
    const mine = await record(io, claimed, ending.change, ending.trace, null);
    return mine ? (ending.change.nextAttemptAt ?? null) : null;
  });
}

/** Null when the lease was lost on the way. */
async function endingOf(io: Io, claimed: deliveries.Claimed, lease: Lease): Promise<Ending | null> {
  const { account } = claimed;
  const driver = carrierOf(io, account);
  if (!driver) return lost("open", "platform_unavailable", `Publishing to ${account.platform} is not available.`);
  const work: Attempt = { io, driver, claimed, lease };
  if (claimed.status === "posted") return address(work);
  if (!mayBeOut(claimed)) {
    if (isLate(io, claimed)) return overdue(claimed);
    if (!claimed.inScope) {
      const message = `The account ${account.username} left the workspace of this post. Create the post again with a key that sees it.`;
      return lost("open", "account_moved", message);
    }
    if (account.status === "paused") return paused(claimed, io.clock());
    if (account.status !== "active") {
      const message = `The account ${account.username} is ${account.status}. Connect it again, then retry the post.`;
      return lost("open", "account_disconnected", message);
    }
  }
  try {
    return await withFreshToken(work, (job) => walk(work, job));
  } catch (error) {
    return lease.held() ? await endingOfFailure(io, claimed, error) : null;
  }
}

/** The irreversible call was made, so nothing may end this delivery but what the network says. */
function mayBeOut({ stage }: deliveries.Claimed): boolean {
  return stage === "armed" || stage === "sent";
}

function isLate(io: Io, { deadlineAt }: deliveries.Claimed): boolean {
  return io.clock() >= deadlineAt;
}

async function endingOfFailure(io: Io, claimed: deliveries.Claimed, error: unknown): Promise<Ending> {
  const failed = failureOf(error);
  if (!failed) logError(io, claimed, error);
  const told: Failure = failed ?? { class: "transient", code: "internal_error", message: "A fault on our side." };
  // Only the network's verdict that this attempt ended with nothing out closes what may be out.
  const open = mayBeOut(claimed) && !told.restart;
  if (told.class === "auth") {
    await deliveries.disconnect(io.db, claimed.account, told.message, cancelled(claimed), io.clock());
    return open ? unresolved(claimed, told.message) : lastTry(claimed, lost("refresh", told.code, told.message));
  }
  if (!open) return failedStep(claimed, told, io.clock(), io.random());
  return isLate(io, claimed)
    ? unresolved(claimed, told.message)
    : unknownOutcome(claimed.stage, told, claimed, io.clock());
}

/** Asks for the address of a post that is out; whatever goes wrong, it stays posted. */
async function address(work: Attempt): Promise<Ending> {
  const { io, driver, claimed } = work;
  if (isLate(io, claimed)) return staysUnnamed();
  try {
    const seen = await withFreshToken(work, (job) => driver.poll(job, claimed.handle ?? {}));
    return seen.state === "published" && seen.url ? named(seen) : unnamed(io.clock());
  } catch (error) {
    if (!failureOf(error)) logError(io, claimed, error);
    return unnamed(io.clock());
  }
}

function logError(io: Io, claimed: deliveries.Claimed, error: unknown): void {
  io.log({ level: "error", delivery: claimed.id, error: describeError(error) });
}

/** Runs the work, and once more with a new token when the network no longer takes the old one. */
async function withFreshToken<Result>(work: Attempt, run: (job: Job) => Promise<Result>): Promise<Result> {
  const { io, driver, claimed, lease } = work;
  const { job, traded } = await openJob(io, driver, claimed, lease.signal);
  try {
    return await run(job);
  } catch (error) {
    const failed = failureOf(error);
    if (failed?.class !== "auth" || failed.code === RECONNECT) throw error;
    if (traded) throw failure({ ...failed, code: RECONNECT });
    return await run(await renewed(io, driver, claimed, job));
  }
}

/** From the stage that the row says to the end of this attempt. */
async function walk(work: Attempt, job: Job): Promise<Ending | null> {
  const { io, driver, claimed } = work;
  if (claimed.stage === "armed") return reconcile(work, job);
  if (claimed.stage === "new") {
    const handle = await driver.start(job);
    if (!(await checkpoint(work, "started", handle, "start"))) return null;
  }
  const sent = claimed.stage === "sent";
  const step = sent ? "confirm" : "poll";
  const polled = await driver.poll(job, claimed.handle ?? {});
  if (polled.state === "published") return published(step, polled, claimed, io.clock());
  if (polled.state === "processing") {
    if (!isLate(io, claimed)) return waiting(step, polled, io.clock());
    return sent
      ? unresolved(claimed, `${claimed.account.platform} took the post and never finished it.`)
      : overdue(claimed);
  }
  if (polled.handle) claimed.handle = polled.handle;
  return publish(work, job);
}

/** The one irreversible call, between a checkpoint that arms and one that confirms. */
async function publish(work: Attempt, job: Job): Promise<Ending | null> {
  const { io, driver, claimed, lease } = work;
  // A publisher that was held up this long may soon be presumed dead; the next one starts with a fresh lease.
  if (lease.left() < ARM_MARGIN_MS) return waiting("arm", { afterMs: 0 }, io.clock());
  if (!(await checkpoint(work, "armed", claimed.handle ?? {}, "arm"))) return null;
  let answer: Awaited<ReturnType<Carrier["publish"]>>;
  try {
    answer = await driver.publish(job, claimed.handle ?? {});
  } catch (error) {
    const failed = failureOf(error);
    // An error that no driver worded may have struck after the call was sent.
    if (!failed || failed.class === "unanswered") {
      return unknownOutcome("publish", failed ?? { message: "The call broke off." }, claimed, io.clock());
    }
    // A clear no: nothing is out, so the delivery is as it was before it was armed.
    if (!(await checkpoint(work, "started", claimed.handle ?? {}, "refused"))) return null;
    throw error;
  }
  if (answer.state === "published") return published("publish", answer, claimed, io.clock());
  // Kept even when the next checkpoint cannot be written: without it nobody could ask what became of the post.
  claimed.handle = answer.handle;
  if (!(await checkpoint(work, "sent", answer.handle, "sent"))) return null;
  return walk(work, job);
}

async function reconcile(work: Attempt, job: Job): Promise<Ending | null> {
  const { io, driver, claimed } = work;
  const seen = await driver.reconcile(job, claimed.handle ?? {});
  const now = io.clock();
  if (seen.state === "published") return published("reconcile", seen, claimed, now);
  if (seen.state === "not_published") {
    const believable = (claimed.armedAt?.getTime() ?? 0) + BELIEVE_AFTER_MS;
    if (now.getTime() < believable) return stillUnknown(claimed, new Date(believable));
    if (isLate(io, claimed)) return overdue(claimed);
    const [stage, handle] = seen.handle ? (["started", seen.handle] as const) : (["new", {}] as const);
    if (!(await checkpoint(work, stage, handle, "reconcile"))) return null;
    return walk(work, job);
  }
  if (isLate(io, claimed)) return unresolved(claimed, `${claimed.account.platform} never confirmed the post.`);
  return seen.state === "processing" ? waiting("reconcile", seen, now) : cannotTell(claimed, now);
}

/** Writes how far the delivery has come; false when the lease was lost. */
async function checkpoint(
  { io, claimed, lease }: Attempt,
  stage: deliveries.Claimed["stage"],
  handle: Handle,
  step: string,
): Promise<boolean> {
  const change = { stage, handle, ...(stage === "armed" ? { armedAt: io.clock() } : {}) };
  const kept = await record(io, claimed, change, { step, outcome: stage }, lease.renewed());
  Object.assign(claimed, change);
  return kept;
}

/** Tries again while the database is away: what is written here is what keeps a post from being lost or sent twice. */
async function record(
  io: Io,
  claimed: deliveries.Claimed,
  change: deliveries.Change,
  trace: deliveries.Trace,
  leaseUntil: Date | null,
): Promise<boolean> {
  for (let tries = 1; ; tries++) {
    try {
      return await deliveries.record(io.db, claimed, change, trace, io.clock(), leaseUntil);
    } catch (error) {
      // To arm is tried once: whether it was written or not, nothing has been sent yet.
      if (tries >= RECORD_TRIES || change.stage === "armed") throw error;
      await sleep(200 * tries);
    }
  }
}
