// Frees what a worker claimed and could not finish, so that its accounts do not wait for the end of the lease.
import { enqueueByKind } from "../jobs/enqueue.ts";
import { listFollowing, listLeased, releaseClaimed, undoClaim } from "../queries/claim-releases.ts";
import * as deliveries from "../queries/deliveries.ts";
import type { DueDelivery } from "../queries/due-accounts.ts";
import type { Services } from "../services/context.ts";
import { toResult, unwrap } from "../shared/result.ts";
import { toWorkKind } from "../shared/work-kinds.ts";
import { backoffMs, LEASE_MS } from "./timing.ts";

/** Between two claims while the database is away. */
const CLAIM_PAUSE_MS = 1_000;
/** A lease ends after its last instant. */
const AFTER_LEASE_MS = 1_000;

/** Claims due deliveries. A claim whose answer was lost may be stored, so it is undone before the next one. */
export async function claimDue(
  services: Pick<Services, "db" | "clock" | "wait">,
  request: Pick<deliveries.DeliveryClaim, "ids" | "withoutUploads" | "limit">,
): Promise<deliveries.ClaimedDelivery[]> {
  for (;;) {
    const now = services.clock();
    const [leaseToken, leaseUntil] = [crypto.randomUUID(), new Date(now.getTime() + LEASE_MS)];
    const claimed = await toResult(deliveries.claim(services.db, { ...request, now, leaseUntil, leaseToken }));
    if (claimed.ok) return claimed.value;
    for (;;) {
      const canWait = await services.wait(CLAIM_PAUSE_MS);
      const undone = await toResult(undoClaim(services.db, request.ids, leaseToken));
      if (!canWait) return unwrap(claimed);
      if (undone.ok) break;
    }
  }
}

/** After an attempt whose outcome could not be stored: ends its lease and returns what is due, and when. */
export async function recoverAttempt(
  services: Pick<Services, "db" | "clock">,
  claimed: deliveries.ClaimedDelivery,
): Promise<DueDelivery[]> {
  const now = services.clock();
  // Never later than the end of the lease would be.
  const retryAt = new Date(now.getTime() + Math.min(LEASE_MS, backoffMs(claimed.claims, Math.random())));
  const released = await toResult(releaseClaimed(services.db, claimed, retryAt));
  const following = released.ok ? await toResult(listFollowing(services.db, claimed, now)) : released;
  if (following.ok && following.value) return following.value;
  const kind = claimed.stage === "sent" ? "confirmations" : toWorkKind(claimed.post.media);
  return [{ id: claimed.id, kind, dueAt: new Date(claimed.leaseUntil.getTime() + AFTER_LEASE_MS) }];
}

/** Enqueues those that are leased for the end of the lease: their consumer may have ended without a trace. */
export async function enqueueLeased(
  services: Pick<Services, "db" | "clock" | "enqueueDeliveries">,
  ids: string[],
): Promise<void> {
  const now = services.clock();
  const leased = await listLeased(services.db, ids, now);
  const due = leased.map((delivery) => ({
    ...delivery,
    dueAt: delivery.dueAt && new Date(delivery.dueAt.getTime() + AFTER_LEASE_MS),
  }));
  enqueueByKind(services, due, now);
}
