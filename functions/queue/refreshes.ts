// Consumer of the refreshes queue: each message lists analytics refreshes that may be due.
import { runRefreshes } from "../../lib/analytics/run-refreshes.ts";
import type { Services } from "../../lib/services/context.ts";
import type { RefreshesMessage } from "../../lib/services/env.ts";

export async function consumeRefreshes(services: Services, batch: MessageBatch<RefreshesMessage>): Promise<void> {
  const ids = batch.messages.flatMap(({ body }) => body.refreshIds);
  await runRefreshes(services, [...new Set(ids)]);
}
