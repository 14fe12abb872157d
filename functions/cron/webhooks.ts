// Runs each minute: enqueues the webhooks with deliveries that are due, or become due before the next run, and deletes old ones.
import { CRON_AHEAD_MS, enqueueDue } from "../../lib/jobs/enqueue.ts";
import { deleteEndedSubscriptions } from "../../lib/queries/event-subscriptions.ts";
import { deleteOldWebhookDeliveries, listWebhooksDueBy } from "../../lib/queries/webhook-claims.ts";
import type { Services } from "../../lib/services/context.ts";

const WEBHOOKS_PER_PAGE = 1_000;
/** Before the next run begins. */
const TIME_BUDGET_MS = 45_000;
const FIRST_ID = "00000000-0000-0000-0000-000000000000";
/** As long as events are in the feed. */
const KEEP_MS = 30 * 24 * 60 * 60 * 1000;
const MAX_DELETED = 5_000;

export async function enqueueDueWebhooks(services: Services): Promise<void> {
  await deleteEndedSubscriptions(services.db, services.clock());
  await sweep(services);
  const before = new Date(services.clock().getTime() - KEEP_MS);
  await deleteOldWebhookDeliveries(services.db, before, MAX_DELETED);
}

/** Goes round from a random webhook, so that a run that ends early leaves out other webhooks than the next one. */
async function sweep(services: Services): Promise<void> {
  const start = crypto.randomUUID();
  const ends = services.clock().getTime() + TIME_BUDGET_MS;
  const enqueue = (webhookIds: string[], delaySeconds: number) =>
    services.enqueueWebhooks({ webhookIds }, delaySeconds);
  for (const first of [start, FIRST_ID]) {
    for (let after: string | null = first; after !== null && services.clock().getTime() < ends; ) {
      const now = services.clock();
      const until = new Date(now.getTime() + CRON_AHEAD_MS);
      const page = await listWebhooksDueBy(services.db, { afterId: after, until, limit: WEBHOOKS_PER_PAGE });
      enqueueDue(enqueue, page.due, now);
      after = page.lastId;
      if (first === FIRST_ID && after !== null && after > start) return;
    }
  }
}
