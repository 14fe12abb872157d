// Events in words: what happened, to what, and the page that shows it.

import * as rows from "../../../lib/queries/event-rows.ts";
import type { StoredEvent } from "../../../lib/queries/events.ts";
import type { EventSnapshot } from "../../../lib/shared/event-snapshots.ts";
import { EVENT_NOUNS, EVENT_TYPES, type EventNoun, type EventType } from "../../../lib/shared/event-types.ts";
import { PLATFORM_DETAILS, type Platform } from "../../../lib/shared/platforms.ts";

/** A part of the types: those with the same word before the dot. */
type EventGroup = EventType extends `${infer Group}.${string}` ? Group : never;

export const GROUP_WORDS: Record<EventGroup, string> = {
  post: "Posts",
  delivery: "Posts on one account",
  account: "Accounts",
  file: "Files",
  slideshow: "Slideshows",
  captions: "Captions",
  refresh: "Analytics",
  approval: "Approvals",
  webhook: "Webhooks",
  api: "The API",
};
export const EVENT_GROUPS = Object.keys(GROUP_WORDS) as [EventGroup, ...EventGroup[]];

export function listTypes(group: EventGroup): EventType[] {
  return EVENT_TYPES.filter((type) => type.startsWith(`${group}.`));
}

export const EVENT_WORDS: Record<EventType, string> = {
  "post.scheduled": "Post scheduled",
  "post.published": "Post published",
  "post.partial": "Post partly published",
  "post.failed": "Post failed",
  "post.unpublished": "Post taken down",
  "post.at_risk": "Post at risk",
  "delivery.published": "Published on an account",
  "delivery.failed": "Failed on an account",
  "delivery.url_known": "Link of a post known",
  "account.connected": "Account connected",
  "account.disconnected": "Account disconnected",
  "account.reconnect_soon": "Connection ends soon",
  "file.verified": "File uploaded",
  "file.rejected": "File rejected",
  "slideshow.rendered": "Slideshow rendered",
  "captions.added": "Captions added",
  "refresh.completed": "Analytics updated",
  "refresh.failed": "Analytics not updated",
  "approval.requested": "Approval requested",
  "approval.approved": "Post approved",
  "approval.commented": "Post commented on",
  "webhook.disabled": "Webhook disabled",
  "api.changed": "API changed",
};

/** The look of the badge, by its class. */
export function getTone(type: EventType): "valid" | "failed" | "pending" | "" {
  if (/\.(published|approved)$/.test(type)) return "valid";
  if (/\.(failed|rejected|disconnected|disabled|unpublished)$/.test(type)) return "failed";
  return /\.(partial|at_risk|reconnect_soon)$/.test(type) ? "pending" : "";
}

interface EventObject {
  title: string;
  /** The page that shows it, below the workspace; null without one. */
  path: string | null;
  /** The record whose other events belong to this one. */
  aboutId: string;
}

const describeAccount = ({ platform, username }: { platform: Platform; username: string }) =>
  `${username} (${PLATFORM_DETAILS[platform].name})`;

const DESCRIBE: Record<EventNoun, (snapshot: EventSnapshot) => Omit<EventObject, "aboutId"> & { postId?: string }> = {
  post(snapshot) {
    const { id, caption } = rows.toPostRow(snapshot);
    return { title: caption || "Without a caption", path: `posts/${id}` };
  },
  delivery(snapshot) {
    const { postId, account } = rows.toDeliveryRow(snapshot);
    return { title: describeAccount(account), path: `posts/${postId}`, postId };
  },
  account(snapshot) {
    const account = rows.toAccountRow(snapshot);
    return { title: describeAccount(account), path: `accounts#${account.id}` };
  },
  file: (snapshot) => ({ title: rows.toFileRow(snapshot).filename, path: null }),
  upload: (snapshot) => ({ title: rows.toUploadRow(snapshot).filename, path: null }),
  slideshow(snapshot) {
    const { id, title } = rows.toSlideshowRow(snapshot);
    return { title, path: `slideshows/${id}` };
  },
  project(snapshot) {
    const { id, title } = rows.toProjectRow(snapshot);
    return { title, path: `projects/${id}` };
  },
  refresh: () => ({ title: "Analytics", path: "analytics" }),
  approval(snapshot) {
    const { postId, recipient } = rows.toApprovalRow(snapshot);
    return { title: recipient, path: `posts/${postId}`, postId };
  },
  webhook(snapshot) {
    const { id, url } = rows.toWebhookRow(snapshot);
    return { title: url, path: `webhooks/${id}` };
  },
  api: ({ version }) => ({ title: `Version ${version}`, path: null }),
};

export function describeObject({ type, objectId, snapshot }: StoredEvent): EventObject {
  const { title, path, postId } = DESCRIBE[EVENT_NOUNS[type]](snapshot);
  return { title, path, aboutId: postId ?? objectId };
}
