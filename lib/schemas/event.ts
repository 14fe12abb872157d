// Events: the feed, and the bodies that webhooks are sent.
import * as z from "zod";
import { readSequence } from "../shared/event-id.ts";
import { EVENT_TYPES, type EventType } from "../shared/event-types.ts";
import { Id, Instant, wholeNumber } from "./common.ts";

export const Event = z
  .object({
    id: Id,
    type: z.string(),
    created_at: Instant,
    workspace_id: Id.nullable(),
    sequence: z.int(),
    mode: z.enum(["live", "test"]),
    data: z.object({ object: z.record(z.string(), z.unknown()) }),
  })
  .meta({ id: "Event" });
export type Event = z.input<typeof Event>;

export const EventList = z.object({
  events: z.array(Event),
  next_after: Id.nullable(),
  has_more: z.boolean(),
});

/** The id of an event, with the number that it contains. */
export const EventPosition = z
  .string()
  .max(100)
  .transform((id, context) => {
    const sequence = readSequence(id);
    if (sequence !== null) return { id: id.toLowerCase(), sequence };
    context.addIssue({
      code: "custom",
      message: "Must be the id of an event, such as next_after of the previous page.",
    });
    return z.NEVER;
  })
  .meta({ type: "string", format: "uuid" });

/** A comma-separated list of types of events. */
const Types = z
  .string()
  .max(1_000)
  .transform((text) => text.split(",").map((part) => part.trim()))
  .pipe(
    z.array(
      z.enum(EVENT_TYPES as [EventType, ...EventType[]], {
        error: "Must be types of events, separated by commas, such as post.published,post.failed.",
      }),
    ),
  )
  .meta({ type: "string" });

export const EventQuery = z.strictObject({
  after: EventPosition.optional(),
  types: Types.optional(),
  limit: wholeNumber(1, 200).default(50),
});
