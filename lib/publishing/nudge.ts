// Wakes the publisher: at once for what is due, with a delay for what is due within the next minute and a half.
import type { Call } from "../call.ts";
import { NUDGE_WITHIN_MS } from "./timing.ts";

interface Upcoming {
  id: string;
  dueAt: Date | null;
}

/** Sends due and nearly due deliveries to the queue; cron finds the later ones when their time comes. */
export function nudgeDue(call: Pick<Call, "now" | "nudge">, deliveries: Upcoming[]): void {
  const byDelay = new Map<number, string[]>();
  for (const { id, dueAt } of deliveries) {
    const ahead = dueAt ? dueAt.getTime() - call.now.getTime() : Number.POSITIVE_INFINITY;
    if (ahead > NUDGE_WITHIN_MS) continue;
    const delay = Math.max(0, Math.ceil(ahead / 1000));
    byDelay.set(delay, [...(byDelay.get(delay) ?? []), id]);
  }
  for (const [delay, ids] of byDelay) call.nudge(ids, delay);
}
