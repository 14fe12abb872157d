// Consumer of the queues of deliveries: each message lists deliveries of one kind of work that may be due, or names a test scope.

import { publishDue } from "../../lib/publishing/publish-due.ts";
import { enqueueLeased } from "../../lib/publishing/recover-claims.ts";
import type { Services } from "../../lib/services/context.ts";
import type { DeliveriesMessage, SandboxMessage } from "../../lib/services/env.ts";

export async function consumeDeliveries(
  services: Services,
  batch: Pick<MessageBatch<DeliveriesMessage | SandboxMessage>, "messages">,
): Promise<void> {
  for (const { body, attempts } of batch.messages) {
    if ("sandboxId" in body) {
      const { runDue } = await import("../../lib/sandbox/run.ts");
      await runDue(services, body.sandboxId);
      continue;
    }
    await publishDue(services, body.deliveryIds, body.kind);
    // The consumer of a repeated message ended early, perhaps with a lease that no worker holds.
    if (attempts > 1) await enqueueLeased(services, body.deliveryIds);
  }
}
