// Turns a post into the body of X's create call, and recognises it again on a timeline.
import { isObject, pickList, pickString } from "../http.ts";
import { type Content, failure, type MediaFile, type Violation } from "../platform.ts";
import type { Capabilities } from "../rules.ts";
import { capabilities, X } from "./rules.ts";

export interface Piece {
  file: MediaFile;
  category: "tweet_image" | "tweet_gif" | "tweet_video";
  /** What X is told when the file's own type is not known. */
  fallbackType: string;
}

export function piecesOf({ media }: Content): Piece[] {
  if (!media) return [];
  if (media.type === "video") {
    return [{ file: media.video, category: "tweet_video", fallbackType: "video/mp4" }];
  }
  return media.images.map((file) =>
    isGif(file)
      ? { file, category: "tweet_gif", fallbackType: "image/gif" }
      : { file, category: "tweet_image", fallbackType: "image/jpeg" },
  );
}

/** What X refuses beyond its capabilities. */
export function violationsOf({ media }: Content): Violation[] {
  if (media?.type !== "slideshow" || media.images.length === 1) return [];
  const message = "A GIF goes alone on X. Post it by itself, or leave it out.";
  return media.images.flatMap((image, at) =>
    isGif(image) ? [{ path: `media.urls.${at}`, code: "gif_not_alone", message, actual: "image/gif" }] : [],
  );
}

/** A GIF may be larger than other images. */
export function limitsOf({ media }: Content, able: Capabilities): Capabilities {
  const [image, second] = media?.type === "slideshow" ? media.images : [];
  if (!image || second || !isGif(image)) return able;
  return { ...able, images: { ...able.images, maxBytes: X.gifBytes } };
}

function isGif({ mimeType, url }: MediaFile): boolean {
  return mimeType === null ? /\.gif$/i.test(new URL(url).pathname) : mimeType === "image/gif";
}

/** Largest file of a category, so that nothing is sent that X refuses at its end. */
export function largest(category: Piece["category"]): number {
  if (category === "tweet_video") return capabilities.videos.maxBytes;
  return category === "tweet_gif" ? X.gifBytes : capabilities.images.maxBytes;
}

export function refused(code: string, message: string) {
  return failure({ class: "content", code, message });
}

export function tweetOf({ caption, settings }: Content, mediaIds: string[]): Record<string, unknown> {
  const replies = pickString(settings, "who_can_reply_post");
  const community = /(\d+)\/?$/.exec(pickString(settings, "community") ?? "")?.[1];
  return {
    text: caption,
    ...(mediaIds.length > 0 ? { media: { media_ids: mediaIds } } : {}),
    // X has no word for everyone: it is what holds when nothing is said.
    ...(replies && replies !== "everyone" ? { reply_settings: replies } : {}),
    ...(community ? { community_id: community } : {}),
    ...(settings.made_with_ai === true ? { made_with_ai: true } : {}),
    ...(settings.paid_partnership === true ? { paid_partnership: true } : {}),
  };
}

/**
 * Whether a post of the timeline is this one. Media ids are never used twice, so with media they alone decide;
 * without, the words do.
 */
export function isSamePost(post: unknown, caption: string, mediaIds: string[]): boolean {
  if (mediaIds.length > 0) {
    // A media key is the kind of the media and its id: `3_1880028106020515840`.
    const shown = pickList(post, "attachments", "media_keys").map((key) => String(key).replace(/^\d+_/, ""));
    return mediaIds.some((id) => shown.includes(id));
  }
  return plain(wordsOf(post)) === plain(caption);
}

/** The text as it was written: X shortens links, escapes signs, and keeps long texts apart. */
function wordsOf(post: unknown): string {
  const long = isObject(post) && isObject(post.note_tweet) ? post.note_tweet : post;
  let text = pickString(long, "text") ?? "";
  for (const link of pickList(long, "entities", "urls")) {
    const short = pickString(link, "url");
    if (short) text = text.replace(short, pickString(link, "expanded_url") ?? short);
  }
  return text.replaceAll("&lt;", "<").replaceAll("&gt;", ">").replaceAll("&amp;", "&");
}

/** Links lose scheme and last slash, which X adds, and white space counts once. */
function plain(text: string): string {
  return text
    .normalize("NFC")
    .replaceAll(/https?:\/\//gi, "")
    .replaceAll(/\/(?=\s|$)/g, "")
    .replaceAll(/\s+/g, " ")
    .trim();
}
