// The requests and results of MCP Events: https://modelcontextprotocol.io/seps/3415-events-extension, read 2026-11-29.
import * as z from "zod";
import { EVENT_TYPES, type EventType } from "../shared/event-types.ts";
import { isWebhookSecret } from "../shared/webhook-secret.ts";
import { Id, Instant, WebUrl } from "./common.ts";
import { Event, EventPosition } from "./event.ts";

const MAX_ACCOUNTS = 100;

const name = z.enum(EVENT_TYPES as [EventType, ...EventType[]]);
const accountIds = z.array(Id).min(1).max(MAX_ACCOUNTS).optional();
/** A position in the feed; null is now. */
const cursor = EventPosition.nullish();

const target = { name, arguments: z.strictObject({ account_ids: accountIds }).default({}), url: WebUrl };

export const EventSubscribe = z.strictObject({
  ...target,
  secret: z.string().max(100).refine(isWebhookSecret, "Must be whsec_ followed by 24 to 64 bytes in base64."),
  cursor,
  ttlMs: z.int().min(0).nullish(),
});

export const EventSubscribed = z.object({
  id: z.string(),
  refreshBefore: Instant,
  cursor: z.string().nullable(),
  truncated: z.boolean(),
  deliveryStatus: z.object({ active: z.boolean() }).optional(),
});

export const EventUnsubscribe = z.strictObject(target);

export const EventPoll = z.strictObject({
  name,
  arguments: target.arguments,
  cursor,
  maxAgeMs: z.int().min(0).optional(),
  maxEvents: z.int().min(1).max(200).default(50),
});

export const EventPolled = z.object({
  events: z.array(z.object({ eventId: z.string(), name: z.string(), timestamp: Instant, data: Event.shape.data })),
  cursor: z.string().nullable(),
  truncated: z.boolean(),
  hasMore: z.boolean(),
  nextPollMs: z.int(),
});
