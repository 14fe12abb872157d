import { webhookNotFound } from "../../lib/events/webhook-requests.ts";
import { endpoint } from "../../lib/http/endpoint.ts";
import { deleteWebhook } from "../../lib/queries/webhooks.ts";
import { WebhookDeleted } from "../../lib/schemas/webhook.ts";

export default endpoint("webhooks.delete", {
  route: "DELETE /webhooks/{webhookId}",
  permission: "webhooks:write",
  summary: "Delete a webhook; what it was not sent yet is dropped",
  params: { webhookId: "webhook" },
  reply: WebhookDeleted,
  message: "Webhook deleted.",
  errors: ["not_found"],
  internalError: "webhook_delete_failed",

  async handle({ db, key, params }) {
    if (!(await deleteWebhook(db, key.scope, params.webhookId))) throw webhookNotFound();
    return { id: params.webhookId, deleted: true as const };
  },
});
