// Consumer of the webhooks queue: each message names a webhook with due deliveries, or a scope whose webhooks may have some.
import { sendDue, sendDueOfScope } from "../../lib/events/send-webhooks.ts";
import type { Services } from "../../lib/services/context.ts";
import type { WebhooksMessage } from "../../lib/services/env.ts";

export async function consumeWebhooks(services: Services, batch: MessageBatch<WebhooksMessage>): Promise<void> {
  for (const { body } of batch.messages) {
    if ("scopeIds" in body) for (const id of body.scopeIds) await sendDueOfScope(services, id);
    else for (const id of body.webhookIds) await sendDue(services, id);
  }
}
