// Builds the body of a request to a webhook: the event as the feed has it.
import type { ClaimedWebhookDelivery } from "../queries/webhook-claims.ts";
import type { WebhookRow } from "../queries/webhooks.ts";
import { Event } from "../schemas/event.ts";
import { Webhook } from "../schemas/webhook.ts";
import type { Services } from "../services/context.ts";
import { TEST_EVENT_TYPE } from "../shared/event-types.ts";
import { toOccurrence } from "./occurrence.ts";
import { type EventScope, toEvent, toMode } from "./to-event.ts";
import { toWebhookResponse } from "./to-response.ts";

const MAX_BYTES = 256 * 1024;

type BodyWebhook = WebhookRow & EventScope & { isSubscription: boolean };
type BodyDelivery = Pick<ClaimedWebhookDelivery, "eventId" | "eventAt" | "type" | "objectId" | "event">;

/** Null when the event is no longer kept. The same for the same event, whenever it is built. */
export function buildWebhookBody(
  context: Pick<Services, "env" | "sandbox">,
  webhook: BodyWebhook,
  delivery: BodyDelivery,
): Uint8Array<ArrayBuffer> | null {
  const built = buildEvent(context, webhook, delivery);
  if (!built) return null;
  const event = Event.parse(built);
  const toBody = (of: Event) => encode(webhook.isSubscription ? toOccurrence(of) : of);
  const whole = toBody(event);
  if (whole.byteLength <= MAX_BYTES) return whole;
  // The receiver reads the whole object by its id, or in the feed.
  const object = { id: delivery.objectId };
  return toBody({ ...event, data: { object, is_truncated: true } as Event["data"] });
}

const encode = (value: object): Uint8Array<ArrayBuffer> => Uint8Array.from(Buffer.from(JSON.stringify(value)));

function buildEvent(context: Pick<Services, "env" | "sandbox">, webhook: BodyWebhook, delivery: BodyDelivery) {
  if (delivery.event) return toEvent(context, webhook, delivery.event);
  if (delivery.type !== TEST_EVENT_TYPE) return null;
  return {
    ...{ id: delivery.eventId, type: delivery.type, created_at: delivery.eventAt, workspace_id: webhook.workspaceId },
    ...{ sequence: 0, mode: toMode(context), data: { object: { ...Webhook.parse(toWebhookResponse(webhook)) } } },
  };
}
