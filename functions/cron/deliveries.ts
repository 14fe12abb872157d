// Runs each minute: enqueues what is due, or becomes due before the next run, for every account that can be served.

import { enqueueByKind, sweep } from "../../lib/jobs/enqueue.ts";
import { logSweep, type SweepResult } from "../../lib/publishing/log-step.ts";
import { listDueAccounts } from "../../lib/queries/due-accounts.ts";
import type { Services } from "../../lib/services/context.ts";

const ACCOUNTS_PER_PAGE = 1_000;

export async function enqueueDueDeliveries(services: Services): Promise<void> {
  const startedAt = services.clock();
  const result: SweepResult = { listed: 0, enqueued: 0, oldestDueAt: null };
  await sweep(services.clock, async (afterAccountId, until, now) => {
    const page = await listDueAccounts(services.db, { now, until, afterAccountId, limit: ACCOUNTS_PER_PAGE });
    enqueueByKind(services, page.due, now);
    countPage(result, page.due);
    return page.lastAccountId;
  });
  logSweep(services, startedAt, result);
}

/** Each account is listed with the one delivery that goes next. */
function countPage(result: SweepResult, due: { dueAt: Date | null }[]): void {
  result.listed += due.length;
  result.enqueued += due.length;
  for (const { dueAt } of due) {
    if (dueAt && (!result.oldestDueAt || dueAt < result.oldestDueAt)) result.oldestDueAt = dueAt;
  }
}
