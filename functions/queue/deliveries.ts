// Consumer of the queues of deliveries: each message lists deliveries of one kind of work that may be due.

import { publishDue } from "../../lib/publishing/publish-due.ts";
import { enqueueLeased } from "../../lib/publishing/recover-claims.ts";
import type { Services } from "../../lib/services/context.ts";
import type { DeliveriesMessage } from "../../lib/services/env.ts";

export async function consumeDeliveries(services: Services, batch: MessageBatch<DeliveriesMessage>): Promise<void> {
  for (const { body, attempts } of batch.messages) {
    await publishDue(services, body.deliveryIds, body.kind);
    // The consumer of a repeated message ended early, perhaps with a lease that no worker holds.
    if (attempts > 1) await enqueueLeased(services, body.deliveryIds);
  }
}
