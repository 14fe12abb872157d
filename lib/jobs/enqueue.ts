// Enqueues jobs that are due, and those that are due later with a delay.

import { HOUR_MS } from "../shared/durations.ts";
import { WORK_KINDS, type WorkKind } from "../shared/work-kinds.ts";

/** Cron lists what is due within this time: longer than the minute between two runs. */
export const CRON_AHEAD_MS = 90_000;

/** A sweep ends before the next run begins. */
const SWEEP_BUDGET_MS = 45_000;

/** Less than every id of a row. */
export const FIRST_ID = "00000000-0000-0000-0000-000000000000";

/**
 * Enqueues page after page what is due until the next run. It goes round from a random id, so that a run that ends early leaves
 * out other rows than the next one. `enqueuePage` returns the last id of its page; null after the last page.
 */
export async function sweep(
  clock: () => Date,
  enqueuePage: (after: string, until: Date, now: Date) => Promise<string | null>,
): Promise<void> {
  const start = crypto.randomUUID();
  const ends = clock().getTime() + SWEEP_BUDGET_MS;
  for (const first of [start, FIRST_ID]) {
    for (let after: string | null = first; after !== null && clock().getTime() < ends; ) {
      const now = clock();
      after = await enqueuePage(after, new Date(now.getTime() + CRON_AHEAD_MS), now);
      if (first === FIRST_ID && after !== null && after > start) return;
    }
  }
}

/** Queues accept delays up to 24 hours: https://developers.cloudflare.com/queues/platform/limits/, read 2026-11-23. */
const MAX_DELAY_MS = 12 * HOUR_MS;

interface DueJob {
  id: string;
  dueAt: Date | null;
}

interface DueDelivery extends DueJob {
  kind: WorkKind;
}

/** Enqueues jobs due within 12 hours; cron enqueues later ones shortly before they are due. */
export function enqueueDue(enqueue: (ids: string[], delaySeconds: number) => void, jobs: DueJob[], now: Date): void {
  const byDelay = new Map<number, string[]>();
  for (const { id, dueAt } of jobs) {
    const ahead = dueAt ? dueAt.getTime() - now.getTime() : Number.POSITIVE_INFINITY;
    if (ahead > MAX_DELAY_MS) continue;
    const delay = Math.max(0, Math.ceil(ahead / 1000));
    byDelay.set(delay, [...(byDelay.get(delay) ?? []), id]);
  }
  for (const [delay, ids] of byDelay) enqueue(ids, delay);
}

/** Enqueues due deliveries, each in the queue of its kind of work. */
export function enqueueByKind(
  { enqueueDeliveries }: { enqueueDeliveries: (ids: string[], delaySeconds: number, kind: WorkKind) => void },
  due: DueDelivery[],
  now: Date,
): void {
  for (const kind of WORK_KINDS) {
    const ofKind = due.filter((delivery) => delivery.kind === kind);
    enqueueDue((ids, delaySeconds) => enqueueDeliveries(ids, delaySeconds, kind), ofKind, now);
  }
}
