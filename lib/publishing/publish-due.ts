// Publishes due deliveries: claims and attempts them until none is due or the limits of one invocation are reached.

import { enqueueByKind } from "../jobs/enqueue.ts";
import { createScopeEnqueuer } from "../jobs/enqueue-webhooks.ts";
import { runJobs } from "../jobs/run-jobs.ts";
import type { ClaimedDelivery } from "../queries/deliveries.ts";
import type { DueDelivery } from "../queries/due-accounts.ts";
import type { Services } from "../services/context.ts";
import type { WorkKind } from "../shared/work-kinds.ts";
import { attemptDelivery } from "./attempt.ts";
import { claimDue } from "./recover-claims.ts";

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
  const withoutUploads = kind !== undefined && kind !== "uploads";
  const waiting = new Set(ids);
  /** A claim that was running when these became free may not have seen them. */
  const freed = new Set<string>();
  const enqueueScope = createScopeEnqueuer(services);

  await runJobs<ClaimedDelivery>(services, {
    name: "delivery",
    concurrency: MAX_CONCURRENT,
    maxClaims: MAX_CLAIMS_PER_RUN,
    maxMs: TIME_BUDGET_MS,
    getId: ({ id }) => id,
    countClaims: ({ claims }) => claims,

    async claim(limit) {
      if (waiting.size === 0) return [];
      const wanted = [...waiting];
      freed.clear();
      const claimed = await claimDue(services, { ids: wanted, withoutUploads, limit });
      // The rest is not due, or another worker has it.
      if (claimed.length < limit) for (const id of wanted) if (!freed.has(id)) waiting.delete(id);
      for (const { id } of claimed) waiting.delete(id);
      return claimed;
    },

    async run(delivery) {
      const due = await attemptDelivery(services, delivery);
      if (delivery.hasWebhooks) enqueueScope(delivery.scopeId);
      const isOwnWork = (other: DueDelivery) =>
        other.id !== delivery.id && (!withoutUploads || other.kind !== "uploads");
      const next = due.filter(isOwnWork);
      for (const { id } of next) {
        waiting.add(id);
        freed.add(id);
      }
      const others = due.filter((other) => !isOwnWork(other));
      enqueueByKind(services, others, services.clock());
      return { outcome: null, hasMadeDue: next.length > 0 };
    },
  });
  if (waiting.size > 0) services.enqueueDeliveries([...waiting], 0, kind ?? "posts");
}
