import { checkWebhookUrl, createWebhook } from "../../lib/events/webhook-requests.ts";
import { endpoint } from "../../lib/http/endpoint.ts";
import { WebhookCreate, WebhookCreated } from "../../lib/schemas/webhook.ts";

export default endpoint("webhooks.create", {
  route: "POST /webhooks",
  permission: "webhooks:write",
  summary: "Create a webhook: a URL that events are sent to",
  body: WebhookCreate,
  reply: WebhookCreated,
  status: 201,
  message: "Webhook created.",
  errors: ["too_many_webhooks"],
  internalError: "webhook_create_failed",

  load: (context) => checkWebhookUrl(context, context.body.url),

  handle: (context) => createWebhook(context, context.body),
});
