import { checkEventAccounts } from "../../lib/events/event-accounts.ts";
import { pollEvents } from "../../lib/events/poll.ts";
import { endpoint } from "../../lib/http/endpoint.ts";
import { EventPoll, EventPolled } from "../../lib/schemas/event-subscription.ts";

/** `events/poll` of MCP Events. Over HTTP there is the feed. */
export default endpoint("mcp.poll-events", {
  route: "POST /events/poll",
  permission: "events:read",
  summary: "Read the events of a type after a position",
  body: EventPoll,
  reply: EventPolled,
  message: "Events.",
  internalError: "events_list_failed",

  async handle(context) {
    await checkEventAccounts(context, context.body.arguments.account_ids);
    return pollEvents(context, context.body);
  },
});
