import { checkEventAccounts } from "../../lib/events/event-accounts.ts";
import { subscribeToEvents } from "../../lib/events/subscriptions.ts";
import { endpoint } from "../../lib/http/endpoint.ts";
import { EventSubscribe, EventSubscribed } from "../../lib/schemas/event-subscription.ts";

/** `events/subscribe` of MCP Events. Over HTTP there are webhooks. */
export default endpoint("mcp.subscribe-event", {
  route: "POST /events/subscribe",
  permission: "webhooks:write",
  summary: "Subscribe to a type of events, or renew a subscription",
  body: EventSubscribe,
  reply: EventSubscribed,
  message: "Subscribed.",
  errors: ["too_many_webhooks", "rate_limited"],
  internalError: "webhook_create_failed",
  limits: ["outside_urls"],

  async handle(context) {
    const { name, arguments: given, url, secret, cursor, ttlMs } = context.body;
    const accountIds = await checkEventAccounts(context, given.account_ids);
    return subscribeToEvents(context, { name, accountIds, url, secret, cursor: cursor ?? null, ttlMs });
  },
});
