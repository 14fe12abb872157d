// Turns a post into the fields of Instagram's media containers.

import { isObject, pickList, pickNumber, pickString } from "../http.ts";
import type { Containers, Fields } from "../meta-containers.ts";
import { type Content, failure, type Media, type MediaFile, type Violation } from "../platform.ts";
import type { Capabilities } from "../rules.ts";
import { holdTo } from "../violations.ts";
import { capabilities, INSTAGRAM } from "./rules.ts";

export function containersOf(content: Content): Containers {
  holdTo(content, capabilities, "Instagram", violationsOf(content));
  const { media } = content;
  if (!media) throw mediaMissing();
  if (isStory(content)) return { single: story(media) };
  if (media.type === "video") return { single: reel(content, media.video) };
  const [first] = media.images;
  if (first && media.images.length === 1) return { single: { ...shared(content), image_url: first.url } };
  return {
    children: media.images.map((image) => ({ image_url: image.url, is_carousel_item: "true" })),
    parent: { ...shared(content), media_type: "CAROUSEL" },
  };
}

export function isStory({ settings }: Content): boolean {
  return settings.post_type === "story";
}

function mediaMissing() {
  const message = "Instagram needs a video or at least one image. Add one and post again.";
  return failure({ class: "content", code: "media_missing", message });
}

/** What Instagram refuses beyond its capabilities. */
export function violationsOf(content: Content): Violation[] {
  return isStory(content) ? storyViolations(content) : [...wordViolations(content), ...coverViolations(content)];
}

// A sign that begins a word: neither "C#" nor the fragment of a URL is a hashtag, nor an address of mail a mention.
const HASHTAG = /(?<![\p{L}\p{N}_&/#])#[\p{L}\p{N}\p{M}_]+/gu;
const MENTION = /(?<![\p{L}\p{N}_.%+-])@[a-z0-9_.]+/giu;

function wordViolations({ caption }: Content): Violation[] {
  return [
    ...tooMany(caption, HASHTAG, INSTAGRAM.hashtags, "too_many_hashtags", "hashtags"),
    ...tooMany(caption, MENTION, INSTAGRAM.mentions, "too_many_mentions", "mentions"),
  ];
}

function tooMany(caption: string, sign: RegExp, limit: number, code: string, what: string): Violation[] {
  const actual = caption.match(sign)?.length ?? 0;
  if (actual <= limit) return [];
  const message = `The caption has ${actual} ${what} and Instagram takes at most ${limit}. Leave some out.`;
  return [{ path: "caption", code, message, limit, actual }];
}

function storyViolations({ media }: Content): Violation[] {
  if (media?.type === "slideshow" && media.images.length > 1) {
    const message = "A story holds one image or one video. Post each image on its own.";
    return [{ path: "media", code: "story_single_media", message, limit: 1, actual: media.images.length }];
  }
  const seconds = media?.type === "video" ? (media.video.durationMs ?? 0) / 1000 : 0;
  const limit = INSTAGRAM.storySeconds;
  if (seconds <= limit) return [];
  const message = `A story lasts at most ${limit} seconds. Cut the video.`;
  return [{ path: "media", code: "story_too_long", message, limit, actual: seconds }];
}

/** A cover image wins over an offset, which then does not matter. */
function coverViolations({ media, settings }: Content): Violation[] {
  const actual = pickNumber(settings, "thumb_offset_ms");
  const limit = media?.type === "video" ? media.video.durationMs : null;
  if (actual === null || limit === null || actual <= limit || pickString(settings, "cover_url")) return [];
  const message = `The cover offset lies outside the video, which has ${limit} ms. Choose one within.`;
  return [{ path: "settings.instagram.thumb_offset_ms", code: "cover_outside_video", message, limit, actual }];
}

/** Stories fill a phone's screen, so the shapes of the feed do not bind them; their videos are lighter than reels. */
export function limitsOf(content: Content, able: Capabilities): Capabilities {
  if (!isStory(content)) return able;
  const { minRatio: _least, maxRatio: _most, ...images } = able.images;
  const maxBytes = Math.min(able.videos.maxBytes, INSTAGRAM.storyBytes);
  return { ...able, images, videos: { ...able.videos, maxBytes } };
}

/** Stories show the picture alone: no caption, no collaborators. */
function story(media: Media): Fields {
  if (media.type === "video") return { media_type: "STORIES", video_url: media.video.url };
  return { media_type: "STORIES", image_url: media.images[0]?.url };
}

function reel(content: Content, video: MediaFile): Fields {
  const { settings } = content;
  const cover = pickString(settings, "cover_url") ?? undefined;
  const offset = pickNumber(settings, "thumb_offset_ms");
  const trial = settings.is_trial_reel === true;
  return {
    ...shared(content),
    media_type: "REELS",
    video_url: video.url,
    cover_url: cover,
    thumb_offset: cover === undefined && offset !== null ? String(offset) : undefined,
    // A trial reel is shown to strangers only, so there is no feed to share it to.
    share_to_feed: trial ? undefined : String(settings.share_to_feed !== false),
    trial_params: trial
      ? JSON.stringify({ graduation_strategy: pickString(settings, "graduation_strategy") ?? "MANUAL" })
      : undefined,
  };
}

function shared({ caption, settings }: Content): Fields {
  const names = pickList(settings, "collaborators")
    .map((one) => (isObject(one) ? pickString(one, "label") : null))
    .filter((name) => name !== null)
    .map((name) => name.replace(/^@/, ""));
  return {
    caption,
    collaborators: names.length > 0 ? JSON.stringify(names) : undefined,
  };
}
