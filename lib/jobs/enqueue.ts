// Enqueues jobs that are due, and those that are due later with a delay.

import { WORK_KINDS, type WorkKind } from "../shared/work-kinds.ts";

/** Cron lists what is due within this time: longer than the minute between two runs. */
export const CRON_AHEAD_MS = 90_000;

/** Queues accept delays up to 24 hours: https://developers.cloudflare.com/queues/platform/limits/, read 2026-11-23. */
const MAX_DELAY_MS = 12 * 60 * 60 * 1000;

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
