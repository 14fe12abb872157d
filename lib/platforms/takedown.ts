// Removing and editing what is out, per network: what its API can, the permission that this needs, and how a person does it.
import type { EditableField } from "../schemas/content-kinds.ts";
import { PLATFORM_DETAILS, type Platform } from "../shared/platforms.ts";
import { failure } from "./platform.ts";
import type { Source } from "./rules.ts";

interface Takedown extends Source {
  /** The API can remove a published post. */
  unpublish: boolean;
  /** Fields of a published post that the API can change. */
  edits: readonly EditableField[];
  /** The network's own names of the permission that both need, any of them; none where there is nothing to permit. */
  permissions: readonly string[];
  /** How a person removes a post, as a sentence to the caller. */
  removedByHand: string;
  /** How a person changes its text; null where nobody can. */
  editedByHand: string | null;
}

const READ = "2026-11-28";
const THREE_DOTS = "Open the post, tap the three dots";

export const TAKEDOWNS: Readonly<Record<Platform, Takedown>> = {
  tiktok: {
    unpublish: false,
    edits: [],
    permissions: [],
    removedByHand: "Open the post in the TikTok app, tap Share or the three dots, then Delete.",
    editedByHand:
      "Open the post in the TikTok app, tap Share or the three dots, then Edit post, where TikTok offers it.",
    // The list of its endpoints has no deletion and no update.
    source: "https://developers.tiktok.com/doc/content-posting-api-reference-direct-post",
    read: READ,
  },
  instagram: {
    unpublish: false,
    edits: [],
    permissions: [],
    removedByHand: `${THREE_DOTS} in the Instagram app, then Delete. Instagram's API deletes posts only for accounts that are connected by Facebook Login; this one is connected by Instagram Login.`,
    editedByHand: `${THREE_DOTS} in the Instagram app, then Edit.`,
    // DELETE /{ig-media-id} is for Facebook Login.
    source: "https://developers.facebook.com/documentation/instagram-platform/instagram-graph-api/reference/ig-media",
    read: READ,
  },
  threads: {
    unpublish: true,
    edits: [],
    permissions: ["threads_delete"],
    removedByHand: `${THREE_DOTS} in the Threads app, then Delete.`,
    editedByHand: `${THREE_DOTS} in the Threads app, then Edit, within 15 minutes of publishing.`,
    source: "https://developers.facebook.com/docs/threads/posts/delete-posts",
    read: READ,
  },
  youtube: {
    unpublish: true,
    edits: ["caption", "title"],
    permissions: ["https://www.googleapis.com/auth/youtube.force-ssl"],
    removedByHand: "Open YouTube Studio, Content, point at the video, then Options and Delete forever.",
    editedByHand: "Open YouTube Studio, Content, then the video's details.",
    source: "https://developers.google.com/youtube/v3/docs/videos/delete",
    read: READ,
  },
  linkedin: {
    unpublish: true,
    edits: ["caption"],
    permissions: ["w_member_social", "w_organization_social"],
    removedByHand: "Open the post on LinkedIn, click the three dots, then Delete post.",
    editedByHand: "Open the post on LinkedIn, click the three dots, then Edit post.",
    source: "https://learn.microsoft.com/en-us/linkedin/marketing/community-management/shares/posts-api",
    read: READ,
  },
  facebook: {
    unpublish: true,
    edits: ["caption"],
    permissions: ["pages_manage_posts"],
    removedByHand: "Open the post on the page, click the three dots, then Move to trash.",
    editedByHand: "Open the post on the page, click the three dots, then Edit post.",
    source: "https://developers.facebook.com/documentation/pages-api/posts.md",
    read: READ,
  },
  twitter: {
    unpublish: true,
    edits: ["caption"],
    permissions: ["tweet.write"],
    removedByHand: "Open the post on x.com, click the three dots, then Delete.",
    editedByHand:
      "Open the post on x.com, click the three dots, then Edit post, which X offers to Premium accounts for an hour.",
    source: "https://docs.x.com/x-api/posts/delete-post",
    read: READ,
  },
  bluesky: {
    unpublish: true,
    edits: [],
    permissions: ["transition:generic"],
    removedByHand: `${THREE_DOTS} in the Bluesky app, then Delete post.`,
    // A record can be replaced, but the app view keeps showing the text that it read first.
    editedByHand: null,
    source: "https://docs.bsky.app/docs/api/com-atproto-repo-delete-record",
    read: READ,
  },
  pinterest: {
    unpublish: true,
    edits: ["caption", "title"],
    permissions: ["pins:write"],
    removedByHand: "Open the pin on Pinterest, click the pencil, then Delete.",
    editedByHand: "Open the pin on Pinterest, then click the pencil.",
    source: "https://github.com/pinterest/api-description/blob/main/v5/openapi.json",
    read: READ,
  },
};

/** The network no longer has the post that was to be edited. */
export function postGone(platform: Platform) {
  const message = `${PLATFORM_DETAILS[platform].name} no longer has the post. Unpublish it, so that its state says so.`;
  return failure({ class: "content", code: "post_gone", message });
}

/** The account's consent does not cover what was asked for; everything else keeps working. */
export function permissionMissing(platform: Platform, action: "remove" | "edit") {
  const { name } = PLATFORM_DETAILS[platform];
  const permission = TAKEDOWNS[platform].permissions.join(" or ");
  const message = `${name} does not let this service ${action} the post: the account has not granted ${permission}. Reconnect the account and allow it, then repeat the request. Publishing to it keeps working.`;
  return failure({ class: "account", code: "permission_missing", message });
}

/** Code of what neither a repetition nor another consent makes possible. */
export const NOT_SUPPORTED = "not_supported";

export function notSupported(message: string) {
  return failure({ class: "content", code: NOT_SUPPORTED, message });
}
