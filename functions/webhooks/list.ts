import { toWebhookResponse } from "../../lib/events/to-response.ts";
import { endpoint } from "../../lib/http/endpoint.ts";
import { listWebhooks } from "../../lib/queries/webhooks.ts";
import { WebhookList } from "../../lib/schemas/webhook.ts";

export default endpoint("webhooks.list", {
  route: "GET /webhooks",
  permission: "webhooks:read",
  summary: "List the webhooks of the key's scope, the oldest first",
  reply: WebhookList,
  message: "Webhooks.",
  internalError: "webhooks_list_failed",

  load: ({ db, key }) => listWebhooks(db, key.scope),

  async handle(_context, webhooks) {
    return { webhooks: webhooks.map(toWebhookResponse) };
  },
});
