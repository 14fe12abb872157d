import { toWebhookResponse } from "../../lib/events/to-response.ts";
import { webhookNotFound } from "../../lib/events/webhook-requests.ts";
import { endpoint } from "../../lib/http/endpoint.ts";
import { findWebhook } from "../../lib/queries/webhooks.ts";
import { Webhook } from "../../lib/schemas/webhook.ts";

export default endpoint("webhooks.get", {
  route: "GET /webhooks/{webhookId}",
  permission: "webhooks:read",
  summary: "Get one webhook",
  params: { webhookId: "webhook" },
  reply: Webhook,
  message: "Webhook.",
  errors: ["not_found"],
  internalError: "webhook_get_failed",

  load: ({ db, key, params }) => findWebhook(db, key.scope, params.webhookId),

  async handle(_context, webhook) {
    if (!webhook) throw webhookNotFound();
    return toWebhookResponse(webhook);
  },
});
