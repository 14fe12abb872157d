// Events as MCP Events has them: io.modelcontextprotocol/events, SEP-3415 (https://modelcontextprotocol.io/seps/3415-events-extension,
// read 2026-11-29; the text is that of commit 5eb6862 of its pull request).
import type { Event } from "../schemas/event.ts";

interface Occurrence {
  eventId: string;
  name: string;
  timestamp: Event["created_at"];
  data: Event["data"];
}

export function toOccurrence({ id, type, created_at: timestamp, data }: Event): Occurrence {
  return { eventId: id, name: type, timestamp, data };
}

/** "Webhook event delivery": at most 10 to 15 minutes of attempts; what is missed is read again from a cursor. */
export const SUBSCRIPTION_RETRIED_FOR_MS = 15 * 60 * 1000;

/** The receiver does not want this event, or it is too large for it: neither is retried. */
export const REFUSALS: readonly number[] = [410, 413];

/** The id that a client is told; it grants nothing. */
export const toSubscriptionId = (webhookId: string): string => `sub_${webhookId.replaceAll("-", "")}`;

export const toSubscriptionHeader = (webhookId: string) => ({ "X-MCP-Subscription-Id": toSubscriptionId(webhookId) });
