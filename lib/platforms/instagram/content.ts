// Converts a post to the fields of Instagram's media containers.

import { findStoryComment } from "../comments.ts";
import { isObject, pickList, pickNumber, pickString } from "../http.ts";
import { getImages } from "../media.ts";
import type { Containers, Fields } from "../meta-containers.ts";
import { type Content, failure, type Media, type MediaFile, type Violation, type Warning } from "../platform.ts";
import type { Capabilities } from "../rules.ts";
import { assertWithinLimits } from "../violations.ts";
import { capabilities, INSTAGRAM } from "./rules.ts";

/**
 * Builds one container, or the children and the parent of a carousel. Throws a content failure when a rule is broken or
 * media is missing.
 */
export function buildContainers(content: Content): Containers {
  // Checks the length of the caption and the number of images, which are limited alike for stories.
  assertWithinLimits(content, capabilities, "Instagram", findViolations(content));
  const { media } = content;
  if (!media) throw mediaMissingFailure();
  if (isStory(content)) return { single: buildStory(content, media) };
  if (media.type === "video") return { single: buildReel(content, media.video) };
  const items = media.type === "carousel" ? media.items : media.images.map((image) => ({ ...image, kind: "image" }));
  const [first] = items;
  const tags = buildTags(content);
  if (first && items.length === 1) {
    const image = { image_url: first.url, alt_text: first.altText ?? undefined, user_tags: tags };
    return { single: { ...buildSharedFields(content), ...image } };
  }
  const firstImage = items.findIndex(({ kind }) => kind === "image");
  return {
    children: items.map(({ kind, url, altText }, at) => ({
      is_carousel_item: "true",
      ...(kind === "video"
        ? { media_type: "VIDEO", video_url: url }
        : // The images are tagged and described, not the carousel.
          { image_url: url, alt_text: altText ?? undefined, user_tags: at === firstImage ? tags : undefined }),
    })),
    parent: { ...buildSharedFields(content), media_type: "CAROUSEL" },
  };
}

export function isStory({ settings }: Content): boolean {
  return settings.post_type === "story";
}

function mediaMissingFailure() {
  const message = "Instagram needs a video or at least one image. Add one and create the post again.";
  return failure({ class: "content", code: "media_missing", message });
}

/** Finds violations of rules that the capabilities do not describe. */
export function findViolations(content: Content): Violation[] {
  return isStory(content)
    ? [
        ...findStoryViolations(content),
        ...findSettingViolations(content, { location_id: "posts and reels" }),
        ...findStoryComment("Instagram", content),
      ]
    : [...findTextViolations(content), ...findCoverViolations(content), ...findAudioViolations(content)];
}

function findAudioViolations(content: Content): Violation[] {
  return content.media?.type === "video" ? [] : findSettingViolations(content, {});
}

/** Finds settings that this kind of post does not have. `others` names those beyond the audio of a reel, and where they are. */
function findSettingViolations({ settings }: Content, others: Readonly<Record<string, string>>): Violation[] {
  return Object.entries({ audio_name: "reels", ...others }).flatMap(([name, where]) => {
    if (settings[name] === undefined) return [];
    const message = `${name} is allowed for ${where} only. Remove it.`;
    return [{ path: `settings.instagram.${name}`, code: "setting_not_allowed" as const, message }];
  });
}

/** Finds what Instagram may reject or ignore, although its documentation allows it. */
export function findWarnings(content: Content): Warning[] {
  const ignored = [...findUndescribed(content), ...findIgnoredSettings(content)];
  if (isStory(content)) return [...ignored, ...findStoryCover(content)];
  const [limit, actual] = [INSTAGRAM.fewHashtags, countHashtags(content.caption)];
  const message = `The caption has ${actual} hashtags. Instagram's app allows ${limit} since December 2025, and may reject the post or ignore the others. Keep the best ${limit}.`;
  return [
    ...(actual > limit ? [{ path: "caption", code: "many_hashtags" as const, message, limit, actual }] : []),
    ...findUprightImages(content),
    ...ignored,
  ];
}

/**
 * `trial_params` is of reels, `collaborators` of images, reels and carousels:
 * https://developers.facebook.com/docs/instagram-platform/instagram-graph-api/reference/ig-user/media, read 2026-11-28.
 */
function findIgnoredSettings(content: Content): Warning[] {
  const { settings, media } = content;
  const [isTrial, isInvited] = [settings.is_trial_reel === true, pickList(settings, "collaborators").length > 0];
  const find = (name: string, isIgnored: boolean, where: string) => {
    const message = `Instagram has ${name} for ${where} only. This is published without it, to followers at once.`;
    return isIgnored ? [{ path: `settings.instagram.${name}`, code: "setting_ignored" as const, message }] : [];
  };
  return [
    ...find("is_trial_reel", isTrial && (isStory(content) || media?.type !== "video"), "reels"),
    ...find("collaborators", isInvited && isStory(content), "posts and reels"),
  ];
}

/** Images of posts and carousels have alternative texts; reels, stories and videos have none. */
function findUndescribed(content: Content): Warning[] {
  const { media } = content;
  const isIgnored = (altText: string | null | undefined, kind: string) =>
    Boolean(altText) && (kind === "video" || isStory(content));
  const message = "Instagram takes alternative texts of images in posts only. The post is published without this one.";
  const paths =
    media?.type === "video"
      ? isIgnored(media.video.altText, "video")
        ? ["media.alt_text"]
        : []
      : media?.type === "slideshow"
        ? media.images.flatMap(({ altText }, at) => (isIgnored(altText, "image") ? [`media.alt_texts.${at}`] : []))
        : (media?.items ?? []).flatMap(({ altText, kind }, at) =>
            isIgnored(altText, kind) ? [`media.items.${at}.alt_text`] : [],
          );
  return paths.map((path) => ({ path, code: "alt_text_ignored" as const, message }));
}

function findStoryCover({ cover }: Content): Warning[] {
  if (!cover) return [];
  const path = cover.image ? "media.cover_url" : "media.cover_timestamp_ms";
  return [{ path, code: "cover_ignored", message: "A story of Instagram has no cover. It is published without it." }];
}

/** Between 3:4 and 4:5 the help page of Instagram and the errors of its API disagree. */
function findUprightImages({ media }: Content): Warning[] {
  if (media?.type !== "slideshow") return [];
  return media.images.flatMap(({ width, height }, at) => {
    const { safeRatio: limit } = INSTAGRAM;
    const { minRatio = limit } = capabilities.images;
    if (!width || !height || width / height >= limit || width / height < minRatio) return [];
    const actual = Number((width / height).toFixed(4));
    const message = `The image is ${width} x ${height} (aspect ratio ${actual}). Instagram accepts 3:4, but its API may still ask for 4:5. If it rejects the post, crop the image to 4:5.`;
    return [{ path: `media.urls.${at}`, code: "image_may_be_rejected" as const, message, limit, actual }];
  });
}

// Hashtags that begin a word, and those that follow them without a space, which Instagram links too: seen in 2016 by
// https://blog.jstassen.com/2016/03/code-regex-for-instagram-username-and-hashtags. Both signs may be of full width, and mentions
// follow all but Latin letters: https://gist.github.com/Saw-mon-and-Natalie/246b8d0411cc9877df604936e519256c, read 2026-11-30.
// Not "C#", "&#39;", "/#top" or "name@example.com", and no keycap of `#`.
const HASHTAGS = /(?<![\p{L}\p{N}_&/#＃])(?:[#＃](?!\uFE0F?\u20E3)[\p{L}\p{N}\p{M}\p{Extended_Pictographic}_]+)+/gu;
const MENTION = /(?<![\w!#$%&*@＠])[@＠]\w+/g;

const countHashtags = (caption: string): number => (caption.match(HASHTAGS) ?? []).join("").split(/[#＃]/).length - 1;

function findTextViolations({ caption }: Content): Violation[] {
  return [
    ...findTooMany(countHashtags(caption), INSTAGRAM.hashtags, "too_many_hashtags", "hashtags"),
    ...findTooMany(caption.match(MENTION)?.length ?? 0, INSTAGRAM.mentions, "too_many_mentions", "mentions"),
  ];
}

function findTooMany(actual: number, limit: number, code: Violation["code"], noun: string): Violation[] {
  if (actual <= limit) return [];
  const message = `The caption has ${actual} ${noun}, but Instagram allows at most ${limit}. Remove some.`;
  return [{ path: "caption", code, message, limit, actual }];
}

function findStoryViolations({ media }: Content): Violation[] {
  if (media?.type === "slideshow" && media.images.length > 1) {
    const message = "A story must have exactly one image or one video. Create a post per image.";
    return [{ path: "media", code: "story_single_media", message, limit: 1, actual: media.images.length }];
  }
  const seconds = media?.type === "video" ? (media.video.durationMs ?? 0) / 1000 : 0;
  const limit = INSTAGRAM.storySeconds;
  if (seconds <= limit) return [];
  const message = `A story must be at most ${limit} seconds long. Shorten the video.`;
  return [{ path: "media", code: "story_too_long", message, limit, actual: seconds }];
}

/** The cover offset must lie within the video. It is neither checked nor sent when `cover_url` is set. */
function findCoverViolations({ media, settings, cover }: Content): Violation[] {
  const own = cover?.timestampMs;
  const actual = own ?? pickNumber(settings, "thumb_offset_ms");
  const limit = media?.type === "video" ? media.video.durationMs : null;
  if (actual === null || limit === null || actual <= limit) return [];
  if (own === undefined && (cover || pickString(settings, "cover_url"))) return [];
  const path = own === undefined ? "settings.instagram.thumb_offset_ms" : "media.cover_timestamp_ms";
  const message = `${path.split(".").at(-1)} must be at most ${limit}, the duration of the video in milliseconds.`;
  return [{ path, code: "cover_outside_video", message, limit, actual }];
}

/** Returns the capabilities for this content: a story has no limit of its aspect ratio, and a lower one of its video's size. */
export function getLimits(content: Content, base: Capabilities): Capabilities {
  if (!isStory(content)) return base;
  const { minRatio: _minRatio, maxRatio: _maxRatio, ...images } = base.images;
  const maxBytes = Math.min(base.videos.maxBytes, INSTAGRAM.storyBytes);
  return { ...base, images, videos: { ...base.videos, maxBytes } };
}

/** Stories have no caption, no collaborators and no location. */
function buildStory(content: Content, media: Media): Fields {
  const shared = { media_type: "STORIES", user_tags: buildTags(content), is_ai_generated: buildAiLabel(content) };
  if (media.type === "video") return { ...shared, video_url: media.video.url };
  return { ...shared, image_url: getImages(media)[0]?.url };
}

/**
 * Images and stories need the place of a tag; a reel has names only.
 * https://developers.facebook.com/docs/instagram-platform/instagram-graph-api/reference/ig-user/media, read 2026-11-28.
 */
function buildTags({ media, settings }: Content): string | undefined {
  const isReel = media?.type === "video" && settings.post_type !== "story";
  const tags = pickList(settings, "user_tags").flatMap((tag) => {
    const username = pickString(tag, "username")?.replace(/^@/, "");
    if (!username) return [];
    return [isReel ? { username } : { username, x: pickNumber(tag, "x"), y: pickNumber(tag, "y") }];
  });
  return tags.length > 0 ? JSON.stringify(tags) : undefined;
}

function buildAiLabel({ settings }: Content): string | undefined {
  return settings.is_ai_generated === true ? "true" : undefined;
}

function buildReel(content: Content, video: MediaFile): Fields {
  const { settings } = content;
  const own = pickString(settings, "cover_url");
  const cover = content.cover?.image?.url ?? (own === null ? undefined : new URL(own).href);
  const offset = content.cover?.timestampMs ?? pickNumber(settings, "thumb_offset_ms");
  const trial = settings.is_trial_reel === true;
  return {
    ...buildSharedFields(content),
    media_type: "REELS",
    video_url: video.url,
    user_tags: buildTags(content),
    audio_name: pickString(settings, "audio_name") ?? undefined,
    cover_url: content.cover?.timestampMs === undefined ? cover : undefined,
    thumb_offset:
      (cover === undefined || content.cover?.timestampMs !== undefined) && offset !== null ? String(offset) : undefined,
    // A trial reel is shown to non-followers only, so it cannot be shared to the feed.
    share_to_feed: trial ? undefined : String(settings.share_to_feed !== false),
    trial_params: trial
      ? JSON.stringify({ graduation_strategy: pickString(settings, "graduation_strategy") ?? "MANUAL" })
      : undefined,
  };
}

function buildSharedFields(content: Content): Fields {
  const { caption, settings } = content;
  // A collaborator is { value?, label }, and its label is the username with or without "@".
  const names = pickList(settings, "collaborators")
    .map((collaborator) => (isObject(collaborator) ? pickString(collaborator, "label") : null))
    .filter((name) => name !== null)
    .map((name) => name.replace(/^@/, ""));
  return {
    caption,
    collaborators: names.length > 0 ? JSON.stringify(names) : undefined,
    location_id: pickString(settings, "location_id") ?? undefined,
    is_ai_generated: buildAiLabel(content),
  };
}
