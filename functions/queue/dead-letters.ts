// Consumer of the dead-letter queue: messages whose consumer failed each time. Their work is still in the database.

import { enqueueLeased } from "../../lib/publishing/recover-claims.ts";
import type { Services } from "../../lib/services/context.ts";
import type { QueueMessage } from "../../lib/services/env.ts";

/**
 * Reports each message. What is due is found by the next cron run, without the message; what is still leased to a
 * consumer that ended is enqueued for the end of its lease.
 */
export async function consumeDeadLetters(services: Services, batch: MessageBatch<QueueMessage>): Promise<void> {
  for (const { id, timestamp, body } of batch.messages) {
    const sent = new Date(timestamp).toISOString();
    services.log({ level: "error", event: "dead_letter", message: id, sent, ...body });
    if ("deliveryIds" in body) await enqueueLeased(services, body.deliveryIds);
  }
}
