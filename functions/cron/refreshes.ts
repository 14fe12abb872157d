// Runs each minute: enqueues the refreshes that are due, and purges rows of deleted targets.

import { CRON_AHEAD_MS, enqueueDue } from "../../lib/jobs/enqueue.ts";
import { listUpcomingRefreshes } from "../../lib/queries/analytics-refreshes.ts";
import { purgeDeletedTargets } from "../../lib/queries/analytics-targets.ts";
import type { Services } from "../../lib/services/context.ts";

const MAX_IDS = 500;
/** Each post can have hundreds of snapshots. */
const MAX_PURGED_POSTS = 200;

export async function enqueueDueRefreshes(services: Services): Promise<void> {
  const now = services.clock();
  const until = new Date(now.getTime() + CRON_AHEAD_MS);
  const due = await listUpcomingRefreshes(services.db, now, until, MAX_IDS);
  enqueueDue(services.enqueueRefreshes, due, now);
  await purgeDeletedTargets(services.db, MAX_PURGED_POSTS);
}
