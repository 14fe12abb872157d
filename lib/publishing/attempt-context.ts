// Shared by the stages of an attempt: its services, its lease, a valid token, and polling.
import type { Lease } from "../jobs/lease.ts";
import { type Failure, failure, getFailure, type Job, type Publisher } from "../platforms/platform.ts";
import { type ClaimedDelivery, extendDeliveryLease } from "../queries/deliveries.ts";
import type { Services } from "../services/context.ts";
import { formatError } from "../shared/format-error.ts";
import { toResult } from "../shared/result.ts";
import { retry } from "../shared/retry.ts";
import {
  isNewToken,
  RECONNECT_REQUIRED,
  refreshJob,
  TOKEN_NOT_YET_ACCEPTED,
  type TokenServices,
  tokenNotYetAccepted,
} from "./account-token.ts";
import { prepareJob } from "./publish-context.ts";

export type AttemptServices = TokenServices &
  Pick<Services, "redis" | "log" | "metrics" | "wait" | "budget"> & { random: () => number };

export interface Attempt {
  services: AttemptServices;
  publisher: Publisher;
  /** Updated together with the row. */
  claimed: ClaimedDelivery;
  lease: Lease;
}

/**
 * Runs the work, and runs it once more with a refreshed token when the network rejects the current one. A network may
 * take minutes until it accepts a new token, so only an older token that is rejected again ends the connection.
 */
export async function withFreshToken<Result>(work: Attempt, run: (job: Job) => Promise<Result>): Promise<Result> {
  const { services, publisher, claimed, lease } = work;
  const { account } = claimed;
  let job = await prepareJob(services, publisher, claimed, lease.signal);
  const refresh = async (error: unknown) => {
    const failed = getFailure(error);
    if (failed?.class !== "auth" || failed.code === RECONNECT_REQUIRED) return false;
    if (isNewToken(services, account)) throw tokenNotYetAccepted(account.platform);
    if (claimed.errorCode === TOKEN_NOT_YET_ACCEPTED) throw failure({ ...failed, code: RECONNECT_REQUIRED });
    job = await refreshJob(services, publisher, claimed, job);
    return true;
  };
  return retry(() => run(job), refresh);
}

/**
 * Polls again while the network asks for a wait so short that storing the state in between would cost more, and while
 * parts of an upload remain. Returns null when the lease was lost.
 */
export async function pollUntilLater(work: Attempt, job: Job): Promise<Awaited<ReturnType<Publisher["poll"]>> | null> {
  const { services, publisher, claimed } = work;
  for (;;) {
    const polled = await publisher.poll(job, claimed.handle ?? {});
    if (polled.state !== "processing") return polled;
    const isPart = polled.afterMs === 0;
    if (!isPart && !(await services.wait(polled.afterMs))) return polled;
    if (polled.handle) claimed.handle = polled.handle;
    if (isPart && !(await saveProgress(work))) return null;
  }
}

/** Stores the handle during an upload, so that a later worker continues after the last part; false without a lease. */
async function saveProgress({ services, claimed, lease }: Attempt): Promise<boolean> {
  const progress = { stage: claimed.stage, handle: claimed.handle };
  const saved = await toResult(extendDeliveryLease(services.db, claimed, lease.renew(), progress));
  // What could not be stored is stored with the next part, or sent again.
  if (!saved.ok) logError(services, claimed, saved.error);
  return saved.ok ? saved.value : lease.isHeld();
}

/** The failure of the network, or an internal error, which is logged. */
export function toFailure(services: Pick<Services, "log">, claimed: ClaimedDelivery, error: unknown): Failure {
  const failed = getFailure(error);
  if (!failed) logError(services, claimed, error);
  return failed ?? { class: "transient", code: "internal_error", message: "An internal error occurred." };
}

export function logError({ log }: Pick<Services, "log">, claimed: ClaimedDelivery, error: unknown): void {
  log({ level: "error", delivery: claimed.id, error: formatError(error) });
}
