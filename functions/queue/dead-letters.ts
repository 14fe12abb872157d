// Consumer of the dead-letter queue: messages whose consumer failed each time. Their work is still in the database.

import type { Services } from "../../lib/services/context.ts";
import type { DeliveriesMessage, RefreshesMessage } from "../../lib/services/env.ts";

/** Reports each message and drops it: the next cron run finds what is due, without the message. */
export async function consumeDeadLetters(
  services: Services,
  batch: MessageBatch<DeliveriesMessage | RefreshesMessage>,
): Promise<void> {
  for (const { id, timestamp, body } of batch.messages) {
    const sent = new Date(timestamp).toISOString();
    services.log({ level: "error", event: "dead_letter", message: id, sent, ...body });
  }
}
