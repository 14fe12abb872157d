// Converts a post to the body of X's create request, and identifies the post on a timeline.

import { isObject, pick, pickList, pickString } from "../http.ts";
import { getImages } from "../media.ts";
import type { Content, Job, MediaFile, Violation, Warning } from "../platform.ts";
import type { Capabilities } from "../rules.ts";
import { capabilities, X } from "./rules.ts";

export interface MediaItem {
  file: MediaFile;
  category: "tweet_image" | "tweet_gif" | "tweet_video";
  /** The media type to send when the type of the file is unknown. */
  fallbackType: string;
}

export function listMediaItems({ media }: Content): MediaItem[] {
  if (!media) return [];
  if (media.type === "video") {
    return [{ file: media.video, category: "tweet_video", fallbackType: "video/mp4" }];
  }
  return getImages(media).map((file) =>
    isGif(file)
      ? { file, category: "tweet_gif", fallbackType: "image/gif" }
      : { file, category: "tweet_image", fallbackType: "image/jpeg" },
  );
}

/** Finds violations beyond the capabilities. */
export function findViolations(content: Content): Violation[] {
  return [...findGifViolations(content), ...findCommunityViolations(content)];
}

/** X closed its communities on 2026-05-30, so their posts would reach nobody. */
function findCommunityViolations({ settings }: Content): Violation[] {
  const actual = pickString(settings, "community");
  const message =
    "X closed communities on 2026-05-30. Remove community; the post then goes to the account's followers.";
  return actual ? [{ path: "settings.x.community", code: "community_closed", message, actual }] : [];
}

function findGifViolations({ media }: Content): Violation[] {
  if (media?.type !== "slideshow" || media.images.length === 1) return [];
  const message = "On X a GIF must be the only image. Create a separate post for it, or remove it.";
  return media.images.flatMap((image, at) =>
    isGif(image) ? [{ path: `media.urls.${at}`, code: "gif_not_alone", message, actual: "image/gif" }] : [],
  );
}

// As X finds them: https://github.com/twitter/twitter-text/tree/master/js/src (extractMentionsOrListsWithIndices.js,
// regexp/validCashtag.js), read 2026-11-30.
const MENTION =
  /(?<=^|[^\w!#$%&*@＠]|(?:^|[^\w+~.-])rt:?)[@＠]\w+(?![\w@＠\u00c0-\u00d6\u00d8-\u00f6\u00f8-\u024f]|:\/\/)/i;
const CASHTAG = /(?<=^|\s)\$[a-z]{1,6}(?:[._][a-z]{1,2})?(?=$|[\s!-/:-@[-`{-~])/gi;
const STATUS_LINK = /https?:\/\/(?:www\.|mobile\.)?(?:x|twitter)\.com\/\w+\/status\/\d+/i;

/** X lets self-serve apps mention and quote others under conditions that only X can check. */
const SELF_SERVE = "https://docs.x.com/x-api/posts/manage-tweets/introduction";

/** Finds what X rejects for some accounts and apps only. SELF_SERVE, read 2026-11-24, its cashtags 2026-11-30. */
export function findWarnings({ caption, media }: Content): Warning[] {
  const found: Warning[] = [];
  const refused = "X may reject it unless this service has an enterprise agreement";
  if (MENTION.test(caption))
    found.push({
      path: "caption",
      code: "mention_may_be_rejected",
      message: `The caption mentions an account. ${refused}: ${SELF_SERVE}`,
    });
  if (STATUS_LINK.test(caption))
    found.push({
      path: "caption",
      code: "quote_may_be_rejected",
      message: `The caption links to a post of X, which quotes it. ${refused}: ${SELF_SERVE}`,
    });
  const actual = caption.match(CASHTAG)?.length ?? 0;
  if (actual > 1) {
    const message = `The caption has ${actual} cashtags, of which X allows one. ${refused}: ${SELF_SERVE}`;
    found.push({ path: "caption", code: "many_cashtags", message, limit: 1, actual });
  }
  const { seconds, bytes } = X.standardVideo;
  const video = media?.type === "video" ? media.video : null;
  if (video?.altText) {
    const message = "X takes alternative texts of images and GIFs only. The video is published without it.";
    found.push({ path: "media.alt_text", code: "alt_text_ignored", message });
  }
  if ((video?.durationMs ?? 0) > seconds * 1000 || (video?.bytes ?? 0) > bytes) {
    const message = `X accepts videos over ${seconds / 60} minutes or ${bytes / 1024 ** 3} GiB from accounts with Premium only.`;
    found.push({ path: "media", code: "video_needs_premium", message });
  }
  return found;
}

/** A single GIF can be larger than other images. */
export function getLimits({ media }: Content, base: Capabilities): Capabilities {
  const [image, second] = media?.type === "slideshow" ? media.images : [];
  if (!image || second || !isGif(image)) return base;
  return { ...base, images: { ...base.images, maxBytes: X.gifBytes } };
}

function isGif({ mimeType, url }: MediaFile): boolean {
  return mimeType === null ? /\.gif$/i.test(new URL(url).pathname) : mimeType === "image/gif";
}

/** Returns the maximum file size of a category, which X checks only after the upload. */
export function getMaxBytes(category: MediaItem["category"]): number {
  if (category === "tweet_video") return capabilities.videos.maxBytes;
  return category === "tweet_gif" ? X.gifBytes : capabilities.images.maxBytes;
}

export const toUrl = (id: string): string => `https://x.com/i/web/status/${id}`;

/** Replies and comments follow who can reply to the post. */
export function buildTweet({ content, part }: Pick<Job, "content" | "part">, mediaIds: string[]) {
  const { caption, settings } = content;
  const replySettings = part ? null : pickString(settings, "who_can_reply_post");
  return {
    text: caption,
    // https://docs.x.com/x-api/posts/create-post, read 2026-11-28.
    ...(part ? { reply: { in_reply_to_tweet_id: part.parent.id } } : {}),
    ...(mediaIds.length > 0 ? { media: { media_ids: mediaIds } } : {}),
    // X has no value for everyone, which is the default.
    ...(replySettings && replySettings !== "everyone" ? { reply_settings: replySettings } : {}),
    ...(settings.made_with_ai === true ? { made_with_ai: true } : {}),
    ...(settings.paid_partnership === true ? { paid_partnership: true } : {}),
  };
}

/**
 * Compares a post of the timeline with this one: by media ids, which are unique to a delivery, or by text if it has no
 * media.
 */
export function isSamePost(post: unknown, caption: string, mediaIds: string[]): boolean {
  if (mediaIds.length > 0) {
    // A media key is the media type and its id: `3_1880028106020515840`.
    const shown = pickList(post, "attachments", "media_keys").map((key) => String(key).replace(/^\d+_/, ""));
    return mediaIds.some((id) => shown.includes(id));
  }
  return normalizeText(readText(post)) === normalizeText(caption);
}

/**
 * Restores the original text: X shortens links, escapes characters and stores long texts separately. Needs the fields `entities` and
 * `note_post`.
 */
export function readText(post: unknown): string {
  const note = pick(post, "note_post") ?? pick(post, "note_tweet");
  const long = isObject(note) ? note : post;
  let text = pickString(long, "text") ?? "";
  for (const link of pickList(long, "entities", "urls")) {
    const short = pickString(link, "url");
    if (short) text = text.replace(short, pickString(link, "expanded_url") ?? short);
  }
  return text.replaceAll("&lt;", "<").replaceAll("&gt;", ">").replaceAll("&amp;", "&");
}

/** Removes the scheme and trailing slash that X adds to links, and collapses white space. */
function normalizeText(text: string): string {
  return text
    .normalize("NFC")
    .replaceAll(/https?:\/\//gi, "")
    .replaceAll(/\/(?=\s|$)/g, "")
    .replaceAll(/\s+/g, " ")
    .trim();
}
