// The types of events, in the order of the reference.

/** The noun of an event: `object` has the shape that the read of this noun returns. */
export type EventNoun =
  | "post"
  | "delivery"
  | "account"
  | "file"
  | "upload"
  | "slideshow"
  | "project"
  | "refresh"
  | "approval"
  | "webhook"
  | "api";

export const EVENT_NOUNS = {
  "post.scheduled": "post",
  "post.published": "post",
  "post.partial": "post",
  "post.failed": "post",
  "post.unpublished": "post",
  "post.at_risk": "post",
  "delivery.published": "delivery",
  "delivery.failed": "delivery",
  "delivery.url_known": "delivery",
  "account.connected": "account",
  "account.disconnected": "account",
  "account.reconnect_soon": "account",
  "file.verified": "file",
  "file.rejected": "upload",
  "slideshow.rendered": "slideshow",
  "captions.added": "project",
  "refresh.completed": "refresh",
  "refresh.failed": "refresh",
  "approval.requested": "approval",
  "approval.approved": "approval",
  "approval.commented": "approval",
  "webhook.disabled": "webhook",
  "api.changed": "api",
} as const satisfies Record<string, EventNoun>;

export type EventType = keyof typeof EVENT_NOUNS;
export const EVENT_TYPES = Object.keys(EVENT_NOUNS) as EventType[];

/** Sent to one webhook on request; never in the feed. */
export const TEST_EVENT_TYPE = "webhook.test";
