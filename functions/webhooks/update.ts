import { toWebhookResponse } from "../../lib/events/to-response.ts";
import { checkWebhookUrl, webhookNotFound } from "../../lib/events/webhook-requests.ts";
import { endpoint } from "../../lib/http/endpoint.ts";
import { updateWebhook } from "../../lib/queries/webhooks.ts";
import { Webhook, WebhookPatch } from "../../lib/schemas/webhook.ts";

export default endpoint("webhooks.update", {
  route: "PATCH /webhooks/{webhookId}",
  permission: "webhooks:write",
  summary: "Change a webhook, disable it, or enable it again",
  params: { webhookId: "webhook" },
  body: WebhookPatch,
  reply: Webhook,
  message: "Webhook updated.",
  errors: ["not_found"],
  internalError: "webhook_update_failed",

  load: (context) => checkWebhookUrl(context, context.body.url),

  async handle({ db, key, params, now, body, enqueueWebhooks }) {
    const webhook = await updateWebhook(db, key.scope, params.webhookId, body, now);
    if (!webhook) throw webhookNotFound();
    // Its deliveries have waited.
    if (body.status === "enabled") enqueueWebhooks({ webhookIds: [webhook.id] }, 0);
    return toWebhookResponse(webhook);
  },
});
