// A page of the feed for a caller, who names the last event that they have read.
import type * as z from "zod";
import type { EventFilter, EventPage } from "../queries/events.ts";
import type { EventList, EventQuery } from "../schemas/event.ts";
import type { RequestContext } from "../services/context.ts";
import { DAY_MS } from "../shared/durations.ts";
import { type ApiError, apiError } from "../shared/errors.ts";
import { readEventTime } from "../shared/event-id.ts";
import { toEvent } from "./to-event.ts";

const KEPT_MS = 30 * DAY_MS;

/** Events before this instant have left the feed. */
export function getKeptFrom(now: Date): Date {
  return new Date(now.getTime() - KEPT_MS);
}

type Query = z.output<typeof EventQuery>;

export function toEventFilter({ after, types, limit }: Query, now: Date): EventFilter {
  return { after: after ?? null, types: types ?? null, limit, keptFrom: getKeptFrom(now), now };
}

/** Throws `events_expired` if the event after which to read has left the feed, `invalid_query` if it never was in it. */
export function toEventList(
  context: Pick<RequestContext, "env" | "key" | "now" | "sandbox">,
  { after }: Query,
  { events, hasMore, isAfterKept, oldestId, endId }: EventPage,
): z.input<typeof EventList> {
  if (after && !isAfterKept) throw toMissingError(after.id, context.now, oldestId, "invalid_query");
  // The last page continues after all events, so that those of other types are not read again.
  const last = hasMore ? events.at(-1)?.id : endId;
  return {
    events: events.map((event) => toEvent(context, context.key.scope, event)),
    next_after: last ?? null,
    has_more: hasMore,
  };
}

/** `events_expired` if the id is older than the feed, else `code`. */
export function toMissingError(
  id: string,
  now: Date,
  oldestId: string | null,
  code: "invalid_query" | "invalid_payload",
): ApiError {
  if (readEventTime(id) > getKeptFrom(now)) {
    const message =
      "No event of the key's scope has the id in `after`. Send next_after of an earlier page, or leave `after` out.";
    return apiError(code, message, { issues: { formErrors: [], fieldErrors: { after: [message] } } });
  }
  const message =
    "Events are kept for 30 days, and the one in `after` is older. Read on from the event in `oldest_id`, or without `after`.";
  return apiError("events_expired", message, { details: { oldest_id: oldestId } });
}
