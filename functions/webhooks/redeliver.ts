import { toWebhookDelivery } from "../../lib/events/to-response.ts";
import { requireRequestedDelivery } from "../../lib/events/webhook-requests.ts";
import { endpoint } from "../../lib/http/endpoint.ts";
import { restartDelivery } from "../../lib/queries/webhook-deliveries.ts";
import { WebhookDelivery } from "../../lib/schemas/webhook.ts";

export default endpoint("webhooks.redeliver", {
  route: "POST /webhooks/{webhookId}/deliveries/{deliveryId}/redeliver",
  permission: "webhooks:write",
  summary: "Send the event of a delivery again, whatever became of it",
  params: { webhookId: "webhook", deliveryId: "delivery" },
  reply: WebhookDelivery,
  message: "The event is sent again now.",
  errors: ["not_found", "webhook_disabled"],
  internalError: "webhook_redeliver_failed",
  limits: ["outside_urls"],

  async handle({ db, key, params, now, enqueueWebhooks }) {
    const { webhookId, deliveryId } = params;
    const delivery = requireRequestedDelivery(await restartDelivery(db, key.scope, webhookId, deliveryId, now));
    enqueueWebhooks({ webhookIds: [webhookId] }, 0);
    return toWebhookDelivery(delivery);
  },
});
