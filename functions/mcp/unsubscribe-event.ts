import * as z from "zod";
import { unsubscribeFromEvents } from "../../lib/events/subscriptions.ts";
import { endpoint } from "../../lib/http/endpoint.ts";
import { EventUnsubscribe } from "../../lib/schemas/event-subscription.ts";

/** `events/unsubscribe` of MCP Events. */
export default endpoint("mcp.unsubscribe-event", {
  route: "POST /events/unsubscribe",
  permission: "webhooks:write",
  summary: "End a subscription",
  body: EventUnsubscribe,
  reply: z.object({}),
  message: "Unsubscribed.",
  errors: ["not_found"],
  internalError: "webhook_delete_failed",

  async handle(context) {
    const { name, arguments: given, url } = context.body;
    await unsubscribeFromEvents(context, { name, accountIds: given.account_ids ?? null, url });
    return {};
  },
});
