// Frees what a worker claimed and could not finish, so that its accounts do not wait for the end of the lease.
import { backoffMs } from "../jobs/backoff.ts";
import { enqueueByKind } from "../jobs/enqueue.ts";
import {
  listFollowingDeliveries,
  listLeasedDeliveries,
  releaseDelivery,
  undoClaim,
} from "../queries/claim-releases.ts";
import type { ClaimedDelivery } from "../queries/deliveries.ts";
import { claimDeliveries, type DeliveryClaim } from "../queries/delivery-claims.ts";
import type { DueDelivery } from "../queries/due-accounts.ts";
import { AFTER_LEASE_MS } from "../queries/jobs.ts";
import type { Services } from "../services/context.ts";
import { toResult } from "../shared/result.ts";
import { retry } from "../shared/retry.ts";
import { toWorkKind } from "../shared/work-kinds.ts";
import { LEASE_MS } from "./timing.ts";

/** Between two claims while the database is away. */
const CLAIM_PAUSE_MS = 1_000;

/** Claims due deliveries. A claim whose answer was lost may be stored, so it is undone before the next one. */
export async function claimDue(
  services: Pick<Services, "db" | "clock" | "wait">,
  request: Pick<DeliveryClaim, "ids" | "withoutUploads" | "limit">,
): Promise<ClaimedDelivery[]> {
  let leaseToken: string;
  const claim = () => {
    const now = services.clock();
    leaseToken = crypto.randomUUID();
    const leaseUntil = new Date(now.getTime() + LEASE_MS);
    return claimDeliveries(services.db, { ...request, now, leaseUntil, leaseToken });
  };
  const undo = async () => {
    let canWait = true;
    const pauseAndUndo = async () => {
      canWait = await services.wait(CLAIM_PAUSE_MS);
      await undoClaim(services.db, request.ids, leaseToken);
    };
    await toResult(retry(pauseAndUndo, () => canWait));
    return canWait;
  };
  return retry(claim, undo);
}

/** After an attempt whose outcome could not be stored: ends its lease and returns what is due, and when. */
export async function recoverAttempt(
  services: Pick<Services, "db" | "clock">,
  claimed: Readonly<ClaimedDelivery>,
  leaseUntil: Date,
): Promise<DueDelivery[]> {
  const now = services.clock();
  // Never later than the end of the lease would be.
  const retryAt = new Date(now.getTime() + Math.min(LEASE_MS, backoffMs(claimed.claims, Math.random())));
  const released = await toResult(releaseDelivery(services.db, claimed, retryAt));
  const following = released.ok ? await toResult(listFollowingDeliveries(services.db, claimed, now)) : released;
  if (following.ok && following.value) return following.value;
  const kind = claimed.stage === "sent" ? "confirmations" : toWorkKind(claimed.post);
  return [{ id: claimed.id, kind, dueAt: new Date(leaseUntil.getTime() + AFTER_LEASE_MS) }];
}

/** Enqueues those that are leased for the end of the lease: their consumer may have ended without a trace. */
export async function enqueueLeased(
  services: Pick<Services, "db" | "clock" | "enqueueDeliveries">,
  ids: string[],
): Promise<void> {
  const now = services.clock();
  const leased = await listLeasedDeliveries(services.db, ids, now);
  const due = leased.map((delivery) => ({
    ...delivery,
    dueAt: delivery.dueAt && new Date(delivery.dueAt.getTime() + AFTER_LEASE_MS),
  }));
  enqueueByKind(services, due, now);
}
