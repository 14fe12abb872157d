// Converts a post to the body of LinkedIn's Posts API: author, commentary and media.

import { isObject, pick, pickList, pickString } from "../http.ts";
import type { ShownCard } from "../link-cards.ts";
import { type Content, contentFailure, type Job, type Violation, type Warning } from "../platform.ts";
import { assertWithinLimits } from "../violations.ts";
import { capabilities, LINKEDIN } from "./rules.ts";

/** URNs of the uploaded media; several images make one multi-image post. */
export type MediaUrns = readonly string[];

/** An external id is a full URN or its last part; ids of pages are numeric, ids of members contain letters. */
export function getAuthor(job: Pick<Job, "connection">): string {
  const id = job.connection.externalId;
  if (id.startsWith("urn:li:")) return id;
  return /^\d+$/.test(id) ? `urn:li:organization:${id}` : `urn:li:person:${id}`;
}

export function isPerson(job: Job): boolean {
  return getAuthor(job).startsWith("urn:li:person:");
}

const RESERVED = /[\\|{}@[\]()<>#*_~]/g;
// `#`, then letters with their marks and digits, with at least one letter; "C#", "a#b" and fragments of URLs are not hashtags.
const HASHTAG =
  /(?=#)(?<!(?:https?:\/|\.[a-z]{2,})\/\S*)(?<![\p{L}\p{M}\p{N}_&])#([\p{L}\p{M}\p{N}]*\p{L}[\p{L}\p{M}\p{N}]*)/giu;

/** Converts plain text to LinkedIn's "little text" format: escapes reserved characters and keeps hashtags active. */
export function toCommentary(text: string): string {
  let out = "";
  let from = 0;
  for (const tag of text.matchAll(HASHTAG)) {
    out += `${escapeReserved(text.slice(from, tag.index))}{hashtag|\\#|${tag[1]}}`;
    from = tag.index + tag[0].length;
  }
  return out + escapeReserved(text.slice(from));
}

function escapeReserved(text: string): string {
  return text.replace(RESERVED, "\\$&");
}

/** Converts a commentary to plain text, to compare posts regardless of escaping. */
export function toPlainText(commentary: string): string {
  return commentary
    .replace(/\{hashtag\|\\?#\|([^}]*)\}/g, "#$1")
    .replace(/\\([\\|{}@[\]()<>#*_~])/g, "$1")
    .trim();
}

/** A card whose picture LinkedIn has. */
export interface Article extends ShownCard {
  thumbnail: string | null;
}

export function buildPost(job: Job, media: MediaUrns, article: Article | null = null) {
  return {
    author: getAuthor(job),
    commentary: toCommentary(job.content.caption),
    visibility: getVisibility(job),
    distribution: { feedDistribution: "MAIN_FEED", targetEntities: [], thirdPartyDistributionChannels: [] },
    ...(article ? buildArticle(article) : buildContent(job, media)),
    lifecycleState: "PUBLISHED",
    isReshareDisabledByAuthor: false,
  };
}

function getVisibility(job: Job): string {
  return pickString(job.content.settings, "visibility") ?? "PUBLIC";
}

/** https://learn.microsoft.com/en-us/linkedin/marketing/community-management/shares/posts-api#article-post-creation, read 2026-11-28. */
function buildArticle({ url, title, description, thumbnail }: Article) {
  const article = { source: url, title, ...(description ? { description } : {}), ...(thumbnail ? { thumbnail } : {}) };
  return { content: { article } };
}

function buildContent(job: Job, media: MediaUrns) {
  const [first] = media;
  if (first === undefined) return {};
  const { media: files } = job.content;
  const describe = (at: number) => {
    const altText = files?.type === "slideshow" ? files.images[at]?.altText : null;
    return altText ? { altText } : {};
  };
  if (media.length > 1) {
    return { content: { multiImage: { images: media.map((id, at) => ({ id, ...describe(at) })) } } };
  }
  // The title of the document is shown as the name of the carousel.
  const more = isCarousel(job.content) ? { title: getCarouselName(job) } : describe(0);
  return { content: { media: { id: first, ...more } } };
}

/** Images have alternative texts; videos and documents have none. */
export function findUndescribed(content: Content): Warning[] {
  const { media } = content;
  const isIgnored =
    (media?.type === "video" && media.video.altText) ||
    (isCarousel(content) && media?.type === "slideshow" && media.images.some(({ altText }) => altText));
  if (!isIgnored) return [];
  const path = media?.type === "video" ? "media.alt_text" : "media.alt_texts";
  const message = "LinkedIn takes alternative texts of images only. The video or document is published without them.";
  return [{ path, code: "alt_text_ignored", message }];
}

export function isCarousel({ settings, media }: Content): boolean {
  return settings.post_as_images_carousel === true && media?.type === "slideshow";
}

function getCarouselName(job: Job): string {
  const line = job.content.caption.split(/\r\n|\r|\n/).find((one) => /\S/.test(one)) ?? "Slides";
  return pickString(job.content.settings, "carousel_name") ?? Array.from(line.trim()).slice(0, 100).join("");
}

export const CAROUSEL_NEEDS_JPEG = {
  code: "carousel_needs_jpeg",
  message: "All images of a LinkedIn carousel must be JPEG. Convert the others, or remove post_as_images_carousel.",
} as const;

/** Finds violations beyond the capabilities that do not depend on the author. Unknown types are checked in `start`. */
export function findViolations(content: Content): Violation[] {
  const { media } = content;
  if (!isCarousel(content) || media?.type !== "slideshow") return [];
  return media.images.flatMap(({ mimeType }, at) =>
    mimeType === null || mimeType === "image/jpeg"
      ? []
      : [{ path: `media.urls.${at}`, ...CAROUSEL_NEEDS_JPEG, actual: mimeType }],
  );
}

/** Throws the first violation that LinkedIn would reject, before anything is created. */
export function assertPublishable(job: Job): void {
  assertWithinLimits(job.content, capabilities, "LinkedIn", findViolations(job.content));
  if (getVisibility(job) === "CONNECTIONS" && !isPerson(job)) {
    throw contentFailure(
      "visibility_not_offered",
      "visibility CONNECTIONS is not supported for LinkedIn pages. Use PUBLIC or omit visibility.",
    );
  }
  const { media } = job.content;
  const longest = LINKEDIN.personVideoSeconds;
  if (media?.type === "video" && isPerson(job) && (media.video.durationMs ?? 0) > longest * 1000) {
    throw contentFailure(
      "video_too_long",
      `Videos of LinkedIn members must be at most ${longest / 60} minutes long. Shorten the video.`,
    );
  }
}

/** Returns true if a listed post is the one of this job. Media URNs are unique to a delivery. */
export function isSamePost(job: Job, media: MediaUrns, post: unknown): boolean {
  const [first] = media;
  if (first === undefined) {
    const text = toPlainText(pickString(post, "commentary") ?? "");
    return text === toPlainText(toCommentary(job.content.caption)) && !isObject(pick(post, "content", "media"));
  }
  const ids = pickList(post, "content", "multiImage", "images").map((image) => pickString(image, "id"));
  return pickString(post, "content", "media", "id") === first || ids.includes(first);
}
