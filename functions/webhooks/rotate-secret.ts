import { rotateSecret } from "../../lib/events/webhook-requests.ts";
import { endpoint } from "../../lib/http/endpoint.ts";
import { findWebhookSecret } from "../../lib/queries/webhooks.ts";
import { SecretRotate, SecretRotated } from "../../lib/schemas/webhook.ts";

export default endpoint("webhooks.rotate-secret", {
  route: "POST /webhooks/{webhookId}/rotate-secret",
  permission: "webhooks:write",
  summary: "Replace the secret of a webhook; the former one signs beside it for 24 hours",
  params: { webhookId: "webhook" },
  body: SecretRotate,
  reply: SecretRotated,
  message: "Secret rotated.",
  errors: ["not_found"],
  internalError: "webhook_rotate_failed",

  load: ({ db, key, params }) => findWebhookSecret(db, key.scope, params.webhookId),

  handle: (context, webhook) => rotateSecret(context, webhook, context.body.secret),
});
