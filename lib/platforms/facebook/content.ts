// Converts a post to the text and link of a Facebook page post, and checks what a reel and a story take.
import { getLinkCard } from "../../shared/post-content.ts";
import { measureCaption } from "../caption.ts";
import { findStoryComment } from "../comments.ts";
import { pickString } from "../http.ts";
import type { Content, Violation, Warning } from "../platform.ts";
import type { Capabilities } from "../rules.ts";
import { assertWithinLimits } from "../violations.ts";
import { capabilities, POST_TYPES, UPRIGHT_RATIO } from "./rules.ts";

export interface PostText {
  message: string;
  /** Shown as a link preview; only posts without media have one. */
  link: string | undefined;
}

/** `link` of a post: https://developers.facebook.com/docs/graph-api/reference/page/feed/, read 2026-11-28. */
export function buildText({ caption, media, settings, link }: Content): PostText {
  const url = getLinkCard(link ?? null)?.url ?? pickString(settings, "url") ?? undefined;
  // Facebook shows no link preview next to media, so the link is appended to the text.
  const inText = url !== undefined && media !== null && !caption.includes(url);
  return { message: inText ? `${caption}\n\n${url}` : caption, link: media === null ? url : undefined };
}

export function getTitle({ settings }: Content): string | undefined {
  return pickString(settings, "title") ?? undefined;
}

/** `post`, `reel` or `story`. */
export function getPostType({ settings }: Content): string {
  return pickString(settings, "post_type") ?? "post";
}

export function isStory(content: Content): boolean {
  return getPostType(content) === "story";
}

const AS_POST = "or set settings.facebook.post_type to post.";

/** Returns the capabilities for this content: a reel is one video, a story one image or one video. */
export function getLimits(content: Content, base: Capabilities): Capabilities {
  const type = getPostType(content);
  const own = POST_TYPES[type];
  if (!own) return base;
  const takes = type === "reel" ? "one video" : "one image or one video";
  const reason = `A ${type} of Facebook is ${takes}. Send that in media, ${AS_POST}`;
  const unsupported = { text_only: reason, single_image: reason, multi_image: reason, mixed_carousel: reason };
  return { ...base, ...own, unsupported };
}

/** Finds violations beyond the capabilities. */
export function findViolations(content: Content): Violation[] {
  return [
    ...findLongText(content),
    ...findShapeViolations(content),
    ...findSettingViolations(content),
    ...(isStory(content) ? findStoryComment("Facebook", content) : []),
  ];
}

/** A caption that is too long only with the appended link. */
function findLongText(content: Content): Violation[] {
  const { limit, unit } = capabilities.caption;
  const actual = measureCaption(buildText(content).message, unit);
  if (actual <= limit || measureCaption(content.caption, unit) > limit) return [];
  const message = `Caption and link have ${actual} characters together, but Facebook allows at most ${limit}. Shorten the caption.`;
  return [{ path: "settings.facebook.url", code: "caption_too_long", message, limit, actual }];
}

function findShapeViolations(content: Content): Violation[] {
  const { media } = content;
  const type = getPostType(content);
  const { width, height } = media?.type === "video" ? media.video : {};
  if (!POST_TYPES[type] || !width || !height) return [];
  const { ratio, tolerance } = UPRIGHT_RATIO;
  if (Math.abs(width / height / ratio - 1) <= tolerance) return [];
  const actual = `${width} x ${height}`;
  const message = `The video is ${actual}, but a ${type} of Facebook must be upright, 9:16 such as 1080 x 1920. Crop it, ${AS_POST}`;
  return [{ path: "media.url", code: "video_size_unsupported", message, actual }];
}

/** Videos have a title; a story has neither title nor link. */
function findSettingViolations(content: Content): Violation[] {
  const { media, settings } = content;
  const find = (name: string, isAllowed: boolean, where: string): Violation[] => {
    if (isAllowed || settings[name] === undefined) return [];
    const message = `${name} is allowed for ${where} only. Remove it.`;
    return [{ path: `settings.facebook.${name}`, code: "setting_not_allowed", message }];
  };
  return [
    ...find("title", media?.type === "video" && !isStory(content), "posts and reels with a video"),
    ...find("url", !isStory(content), "posts and reels"),
  ];
}

/** Finds what Facebook does not show: the alternative text of a video, the cover of a reel, all text of a story. */
export function findWarnings(content: Content): Warning[] {
  const { media, cover } = content;
  const type = getPostType(content);
  const found: Warning[] = [];
  if (media?.type === "video" && media.video.altText) {
    const message = "Facebook takes alternative texts of photos only. The video is published without it.";
    found.push({ path: "media.alt_text", code: "alt_text_ignored", message });
  }
  if (cover?.image && POST_TYPES[type]) {
    // https://developers.facebook.com/docs/graph-api/reference/video/thumbnails, read 2026-11-28.
    const why =
      type === "story"
        ? "A story of Facebook has no cover."
        : "Facebook lets an app set the cover of a reel only with the permissions pages_manage_engagement and pages_read_user_content, which this service does not use for it.";
    const message = `${why} It is published without it; a video that is sent as post_type post takes one.`;
    found.push({ path: "media.cover_url", code: "cover_ignored", message });
  }
  if (type === "story") {
    const message = "A story of Facebook has no text, so the caption is not shown. Put words into the image or video.";
    found.push({ path: "caption", code: "caption_ignored", message });
  }
  return found;
}

/** Throws the first violation that Facebook would reject. */
export function assertPublishable(content: Content): void {
  assertWithinLimits(content, capabilities, "Facebook", findViolations(content));
}
