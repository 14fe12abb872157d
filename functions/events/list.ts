import { toEventFilter, toEventList } from "../../lib/events/feed.ts";
import { endpoint } from "../../lib/http/endpoint.ts";
import { listEvents } from "../../lib/queries/events.ts";
import { EventList, EventQuery } from "../../lib/schemas/event.ts";

export default endpoint("events.list", {
  route: "GET /events",
  permission: "events:read",
  summary: "Read the events of the key's scope in order",
  query: EventQuery,
  reply: EventList,
  message: "Events.",
  errors: ["events_expired"],
  internalError: "events_list_failed",

  load: ({ db, key, query, now }) => listEvents(db, key.scope, toEventFilter(query, now)),

  async handle(context, page) {
    return toEventList(context, context.query, page);
  },
});
