// Publishes due deliveries: claims and attempts them until none is due or the limits of one invocation are reached.

import { enqueueByKind } from "../jobs/enqueue.ts";
import type * as deliveries from "../queries/deliveries.ts";
import type { DueDelivery } from "../queries/due-accounts.ts";
import type { Services } from "../services/context.ts";
import { formatError } from "../shared/format-error.ts";
import { toResult, unwrap } from "../shared/result.ts";
import type { WorkKind } from "../shared/work-kinds.ts";
import { attemptDelivery } from "./attempt.ts";
import { claimDue, recoverAttempt } from "./recover-claims.ts";
import { MAX_CLAIMS } from "./timing.ts";

/** Concurrent deliveries per invocation; Workers allow six connections that wait for response headers. */
const MAX_CONCURRENT = 6;

/** Limits of one invocation, which has a subrequest and time budget; the rest is enqueued again. */
const MAX_CLAIMS_PER_RUN = 150;
const TIME_BUDGET_MS = 60_000;

/**
 * Publishes these deliveries, and those that become due on the same accounts meanwhile. Uploads are left out when the
 * kind of work is another one.
 */
export async function publishDue(services: Services, ids: string[], kind?: WorkKind): Promise<void> {
  const until = services.clock().getTime() + TIME_BUDGET_MS;
  const withoutUploads = kind !== undefined && kind !== "uploads";
  const waiting = new Set(ids);
  /** What became free while a claim was running, which that claim may not have seen. */
  const freed = new Set<string>();
  const running = new Set<Promise<void>>();
  let claims = 0;

  async function attempt(delivery: deliveries.ClaimedDelivery): Promise<void> {
    const due = await attemptSafely(services, delivery);
    const [own, next] = [due.filter(({ id }) => id === delivery.id), due.filter(({ id }) => id !== delivery.id)];
    const isOwnWork = (other: DueDelivery) => !withoutUploads || other.kind !== "uploads";
    for (const { id } of next.filter(isOwnWork)) {
      waiting.add(id);
      freed.add(id);
    }
    enqueueByKind(services, [...own, ...next.filter((other) => !isOwnWork(other))], services.clock());
  }

  for (;;) {
    const exhausted =
      claims >= MAX_CLAIMS_PER_RUN || services.clock().getTime() > until || services.budget.remainingRequests() === 0;
    const limit = Math.min(MAX_CONCURRENT - running.size, MAX_CLAIMS_PER_RUN - claims);
    if (waiting.size > 0 && limit > 0 && !exhausted) {
      const wanted = [...waiting];
      freed.clear();
      const next = await toResult(claimDue(services, { ids: wanted, withoutUploads, limit }));
      // Ending the invocation would abort the open requests of running attempts.
      if (!next.ok) await Promise.all(running);
      const claimed = unwrap(next);
      claims += claimed.length;
      // The rest is not due, or another worker has it.
      if (claimed.length < limit) for (const id of wanted) if (!freed.has(id)) waiting.delete(id);
      for (const delivery of claimed) {
        waiting.delete(delivery.id);
        // What ended earlier workers must not end its neighbours.
        if (delivery.claims > MAX_CLAIMS.shared) await Promise.all(running);
        const work: Promise<void> = attempt(delivery).finally(() => running.delete(work));
        running.add(work);
        if (delivery.claims > MAX_CLAIMS.shared) await work;
      }
    } else if (running.size > 0) await Promise.race(running);
    else if (waiting.size === 0) return;
    else return services.enqueueDeliveries([...waiting], 0, kind ?? "posts");
  }
}

async function attemptSafely(services: Services, delivery: deliveries.ClaimedDelivery): Promise<DueDelivery[]> {
  try {
    return await attemptDelivery({ ...services, random: Math.random }, delivery);
  } catch (error) {
    // The outcome could not be stored: the next worker continues from the checkpoint.
    services.log({ level: "error", delivery: delivery.id, error: formatError(error) });
    return recoverAttempt(services, delivery);
  }
}
