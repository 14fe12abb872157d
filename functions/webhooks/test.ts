import { toWebhookDelivery } from "../../lib/events/to-response.ts";
import { requireRequestedDelivery } from "../../lib/events/webhook-requests.ts";
import { endpoint } from "../../lib/http/endpoint.ts";
import { insertTestDelivery } from "../../lib/queries/webhook-deliveries.ts";
import { WebhookDelivery } from "../../lib/schemas/webhook.ts";
import { createIdGenerator } from "../../lib/shared/ids.ts";

export default endpoint("webhooks.test", {
  route: "POST /webhooks/{webhookId}/test",
  permission: "webhooks:write",
  summary: "Send an event of the type webhook.test, which is never in the feed",
  params: { webhookId: "webhook" },
  reply: WebhookDelivery,
  status: 201,
  message: "The test is sent now.",
  errors: ["not_found", "webhook_disabled"],
  internalError: "webhook_test_failed",
  limits: ["outside_urls"],

  async handle({ db, key, params, now, ids, enqueueWebhooks }) {
    const id = ids();
    // The clock of test mode may be ahead of that of ids.
    const test = { id, eventId: createIdGenerator(id, now)(), now };
    const delivery = requireRequestedDelivery(await insertTestDelivery(db, key.scope, params.webhookId, test));
    enqueueWebhooks({ webhookIds: [params.webhookId] }, 0);
    return toWebhookDelivery(delivery);
  },
});
