import { replayWebhook } from "../../lib/events/webhook-requests.ts";
import { endpoint } from "../../lib/http/endpoint.ts";
import { WebhookReplay, WebhookReplayed } from "../../lib/schemas/webhook.ts";

export default endpoint("webhooks.replay", {
  route: "POST /webhooks/{webhookId}/replay",
  permission: "webhooks:write",
  summary: "Send the events of the feed after one of them again",
  params: { webhookId: "webhook" },
  body: WebhookReplay,
  reply: WebhookReplayed,
  message: "The events are sent again now.",
  errors: ["not_found", "webhook_disabled", "events_expired"],
  internalError: "webhook_replay_failed",

  handle: (context) => replayWebhook(context, context.params.webhookId, context.body.after),
});
