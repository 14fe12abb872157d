// The refreshes queue: every message names refreshes that may have something to do.
import { refreshDue } from "../../lib/analytics/refresher.ts";
import type { World } from "../../lib/call.ts";
import type { RefreshNudge } from "../../lib/env.ts";

export async function takeRefreshes(world: World, batch: MessageBatch<RefreshNudge>): Promise<void> {
  const ids = batch.messages.flatMap(({ body }) => body.refreshIds);
  await refreshDue(world, [...new Set(ids)]);
}
