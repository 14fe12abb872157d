import { toWebhookDelivery } from "../../lib/events/to-response.ts";
import { webhookNotFound } from "../../lib/events/webhook-requests.ts";
import { endpoint } from "../../lib/http/endpoint.ts";
import { listWebhookDeliveries } from "../../lib/queries/webhook-deliveries.ts";
import { WebhookDeliveryList, WebhookDeliveryQuery } from "../../lib/schemas/webhook.ts";

export default endpoint("webhooks.deliveries", {
  route: "GET /webhooks/{webhookId}/deliveries",
  permission: "webhooks:read",
  summary: "List what a webhook was sent in 30 days, and the attempts, the newest event first",
  params: { webhookId: "webhook" },
  query: WebhookDeliveryQuery,
  reply: WebhookDeliveryList,
  message: "Deliveries.",
  errors: ["not_found"],
  internalError: "webhook_deliveries_failed",

  load: ({ db, key, params, query }) => listWebhookDeliveries(db, key.scope, params.webhookId, query),

  async handle(_context, page) {
    if (!page) throw webhookNotFound();
    return { deliveries: page.deliveries.map(toWebhookDelivery), next_cursor: page.nextCursor };
  },
});
