// Stores the steps of an attempt under its lease.
import type { Lease } from "../jobs/lease.ts";
import { listFollowingDeliveries } from "../queries/claim-releases.ts";
import { extendDeliveryLease, markAccountDisconnected, recordStep, type TraceEntry } from "../queries/deliveries.ts";
import type { DueDelivery } from "../queries/due-accounts.ts";
import type { Services } from "../services/context.ts";
import { formatError } from "../shared/format-error.ts";
import { pause, retry } from "../shared/retry.ts";
import { toWorkKind } from "../shared/work-kinds.ts";
import type { Delivery } from "./delivery-events.ts";
import type { Step } from "./delivery-step.ts";
import { createStepLog } from "./log-step.ts";
import { recoverAttempt } from "./recover-claims.ts";
import type { AttemptPorts } from "./run-delivery.ts";

/** Attempts to record a step in quick succession; then one a second, as long as the invocation may wait. */
const QUICK_RECORD_ATTEMPTS = 3;
const RECORD_PAUSE_MS = 1_000;

export function openDeliveryStore(
  services: Pick<Services, "db" | "clock" | "log" | "metrics" | "wait">,
  lease: Lease,
): Pick<AttemptPorts, "store" | "recover" | "logError"> {
  const logStep = createStepLog(services);
  const logError = ({ id }: Delivery, error: unknown) =>
    services.log({ level: "error", delivery: id, error: formatError(error) });

  /** Keeps the handle during an upload, so that a later worker continues after the last part. */
  async function saveProgress(delivery: Delivery, { change }: Step): Promise<boolean> {
    try {
      return await extendDeliveryLease(services.db, delivery, lease.renew(), {
        stage: change.stage,
        handle: change.handle,
      });
    } catch (error) {
      // If saving fails, the next part stores it or sends it again.
      logError(delivery, error);
      return lease.isHeld();
    }
  }

  /**
   * Retries while the database is unavailable: this row prevents a post from being lost or published twice, and without
   * it the account waits until the lease ends. A lease that was lost meanwhile is noticed by the statement: null.
   */
  async function record(delivery: Delivery, step: Step, trace: TraceEntry) {
    const until = step.isLast ? null : lease.renew();
    const save = () => recordStep(services.db, delivery, step.change, trace, services.clock(), until);
    const recorded = await retry(save, (_error, tries) => {
      // Arming is not retried: whether it was stored or not, nothing has been sent yet.
      if (step.delivery.phase === "publishing") return false;
      return tries < QUICK_RECORD_ATTEMPTS ? pause(200 * tries) : services.wait(RECORD_PAUSE_MS);
    });
    if (recorded) logStep(delivery, trace);
    return recorded;
  }

  return {
    logError,
    recover: (delivery) => recoverAttempt(services, delivery, lease.until()),
    async store(delivery, step) {
      if (step.disconnects)
        await markAccountDisconnected(services.db, delivery.account, step.disconnects, services.clock());
      if (step.isProgress) return (await saveProgress(delivery, step)) ? [] : null;
      // The next step that is stored has this change as well.
      if (!step.trace) return [];
      const recorded = await record(delivery, step, step.trace);
      if (!step.isLast) return recorded && [];
      // Without a lease the step may be stored all the same: the response to an earlier try was lost.
      if (!recorded) return listFollowingDeliveries(services.db, delivery, services.clock());
      const kind = step.change.stage === "sent" ? "confirmations" : toWorkKind(delivery.post);
      const own: DueDelivery = { id: delivery.id, kind, dueAt: step.change.nextAttemptAt ?? null };
      return [own, ...recorded.next];
    },
  };
}
