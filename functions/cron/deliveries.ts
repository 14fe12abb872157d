// Runs each minute: enqueues what is due, or becomes due before the next run, for every account that can be served.

import { CRON_AHEAD_MS, enqueueByKind } from "../../lib/jobs/enqueue.ts";
import { logSweep, type SweepResult } from "../../lib/publishing/log-step.ts";
import { listDueAccounts } from "../../lib/queries/due-accounts.ts";
import type { Services } from "../../lib/services/context.ts";

const ACCOUNTS_PER_PAGE = 1_000;
/** Before the next run begins. */
const TIME_BUDGET_MS = 45_000;
const FIRST_ID = "00000000-0000-0000-0000-000000000000";

export async function enqueueDueDeliveries(services: Services): Promise<void> {
  const startedAt = services.clock();
  const result: SweepResult = { listed: 0, enqueued: 0, oldestDueAt: null };
  await sweep(services, result);
  logSweep(services, startedAt, result);
}

/** Goes round from a random account, so that a run that ends early leaves out other accounts than the next one. */
async function sweep(services: Services, result: SweepResult): Promise<void> {
  const start = crypto.randomUUID();
  const ends = services.clock().getTime() + TIME_BUDGET_MS;
  for (const first of [start, FIRST_ID]) {
    for (let after: string | null = first; after !== null && services.clock().getTime() < ends; ) {
      const now = services.clock();
      const until = new Date(now.getTime() + CRON_AHEAD_MS);
      const page = await listDueAccounts(services.db, { now, until, afterAccountId: after, limit: ACCOUNTS_PER_PAGE });
      enqueueByKind(services, page.due, now);
      countPage(result, page.due);
      after = page.lastAccountId;
      if (first === FIRST_ID && after !== null && after > start) return;
    }
  }
}

/** Each account is listed with the one delivery that goes next. */
function countPage(result: SweepResult, due: { dueAt: Date | null }[]): void {
  result.listed += due.length;
  result.enqueued += due.length;
  for (const { dueAt } of due) {
    if (dueAt && (!result.oldestDueAt || dueAt < result.oldestDueAt)) result.oldestDueAt = dueAt;
  }
}
