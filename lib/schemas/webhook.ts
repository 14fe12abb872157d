// Webhooks: where a scope wants its events to be sent, and what became of each.
import * as z from "zod";
import { EVENT_TYPES, type EventType } from "../shared/event-types.ts";
import { EVERY_TYPE, isWebhookSecret } from "../shared/webhook-secret.ts";
import { Id, Instant, WebUrl, wholeNumber } from "./common.ts";
import { EventPosition } from "./event.ts";
import { cursorField, cursorPageFields } from "./pagination.ts";

const TYPE_ERROR = 'Must be a type of events, such as "post.published", or the list ["*"] for all.';

const Types = z
  .array(z.enum([EVERY_TYPE, ...(EVENT_TYPES as [EventType, ...EventType[]])], { error: TYPE_ERROR }))
  .min(1, "Must have at least one type.")
  .max(EVENT_TYPES.length)
  .refine((types) => !types.includes(EVERY_TYPE) || types.length === 1, '"*" stands alone: it means all types.')
  .transform((types) => [...new Set(types)]);

const Description = z.string().trim().normalize("NFC").max(500).nullable();

const Secret = z
  .string()
  .max(100)
  .refine(isWebhookSecret, "Must be whsec_ followed by 24 to 64 bytes in base64.")
  .meta({ pattern: "^whsec_[A-Za-z0-9+/]{32,86}={0,2}$" });

export const WebhookCreate = z
  .strictObject({
    url: WebUrl,
    types: Types,
    description: Description.optional(),
    secret: Secret.optional(),
  })
  .meta({ id: "WebhookCreate" });

export const WebhookPatch = z
  .strictObject({
    url: WebUrl.optional(),
    types: Types.optional(),
    description: Description.optional(),
    status: z.enum(["enabled", "disabled"]).optional(),
  })
  .refine((patch) => Object.keys(patch).length > 0, "Send at least one field to change.")
  .meta({ id: "WebhookPatch" });
export type WebhookPatch = z.output<typeof WebhookPatch>;

export const Webhook = z
  .object({
    id: Id,
    url: z.string(),
    types: z.array(z.string()),
    description: z.string().nullable(),
    status: z.enum(["enabled", "disabled"]),
    failing_since: Instant.nullable(),
    disabled_at: Instant.nullable(),
    disabled_reason: z.enum(["failures", "request"]).nullable(),
    created_at: Instant,
    updated_at: Instant,
  })
  .meta({ id: "Webhook" });

export const WebhookCreated = Webhook.extend({ secret: z.string() }).meta({ id: "WebhookCreated" });

export const WebhookList = z.object({ webhooks: z.array(Webhook) });

export const WebhookDeleted = z.object({ id: Id, deleted: z.literal(true) });

export const SecretRotate = z.strictObject({ secret: Secret.optional() }).meta({ id: "SecretRotate" });

export const SecretRotated = z.object({ id: Id, secret: z.string(), previous_secret_until: Instant });

const WebhookAttempt = z
  .object({
    at: Instant,
    status: z.int().nullable(),
    duration_ms: z.int(),
    response_excerpt: z.string().nullable(),
    error: z.string().nullable(),
  })
  .meta({ id: "WebhookAttempt" });

const DeliveryStatus = z.enum(["pending", "delivered", "failed", "aborted"]);

export const WebhookDelivery = z
  .object({
    id: Id,
    event_id: Id,
    type: z.string(),
    status: DeliveryStatus,
    attempts: z.array(WebhookAttempt),
    next_attempt_at: Instant.nullable(),
  })
  .meta({ id: "WebhookDelivery" });

export const WebhookDeliveryList = z.object({ deliveries: z.array(WebhookDelivery), ...cursorPageFields });

export const WebhookDeliveryQuery = z.strictObject({
  status: DeliveryStatus.optional(),
  cursor: cursorField(z.tuple([z.guid()]).transform(([eventId]) => eventId)).optional(),
  limit: wholeNumber(1, 100).default(20),
});
export type WebhookDeliveryQuery = z.output<typeof WebhookDeliveryQuery>;

export const WebhookReplay = z.strictObject({ after: EventPosition.nullable() }).meta({ id: "WebhookReplay" });

export const WebhookReplayed = z.object({ replayed: z.int(), next_after: Id.nullable(), has_more: z.boolean() });
