// Tells the webhooks queue of events that an invocation has written.
import type { Services } from "../services/context.ts";

const PAUSE_SECONDS = 1;

/**
 * Call it after each commit that may have written events of a scope. It enqueues the scope at once, then at most once a second,
 * with a delay: a message finds what was written before it.
 */
export function createScopeEnqueuer({
  clock,
  enqueueWebhooks,
}: Pick<Services, "clock" | "enqueueWebhooks">): (scopeId: string) => void {
  /** When the last message of a scope is due. */
  const dueAt = new Map<string, number>();
  return (scopeId) => {
    const now = clock().getTime();
    const last = dueAt.get(scopeId) ?? Number.NEGATIVE_INFINITY;
    if (last > now) return;
    const delaySeconds = now - last > PAUSE_SECONDS * 1000 ? 0 : PAUSE_SECONDS;
    dueAt.set(scopeId, now + delaySeconds * 1000);
    enqueueWebhooks({ scopeIds: [scopeId] }, delaySeconds);
  };
}
