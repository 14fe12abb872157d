// Runs each minute: enqueues the webhooks with deliveries that are due, or become due before the next run, and deletes old ones.
import { enqueueDue, sweep } from "../../lib/jobs/enqueue.ts";
import { deleteEndedWebhooks } from "../../lib/queries/event-subscriptions.ts";
import { deleteOldWebhookDeliveries, listWebhooksDueBy } from "../../lib/queries/webhook-claims.ts";
import type { Services } from "../../lib/services/context.ts";
import { DAY_MS } from "../../lib/shared/durations.ts";

const WEBHOOKS_PER_PAGE = 1_000;
/** As long as events are in the feed. */
const KEEP_MS = 30 * DAY_MS;
const MAX_DELETED = 5_000;

export async function enqueueDueWebhooks(services: Services): Promise<void> {
  await deleteEndedWebhooks(services.db, services.clock());
  const enqueue = (webhookIds: string[], delaySeconds: number) =>
    services.enqueueWebhooks({ webhookIds }, delaySeconds);
  await sweep(services.clock, async (afterId, until, now) => {
    const page = await listWebhooksDueBy(services.db, { afterId, until, limit: WEBHOOKS_PER_PAGE });
    enqueueDue(enqueue, page.due, now);
    return page.lastId;
  });
  const before = new Date(services.clock().getTime() - KEEP_MS);
  await deleteOldWebhookDeliveries(services.db, before, MAX_DELETED);
}
