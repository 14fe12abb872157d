// Turns a post into what LinkedIn's Posts API takes: its author, its commentary, its media.
import { isObject, pick, pickList, pickString } from "../http.ts";
import { type Content, failure, type Job, type Violation } from "../platform.ts";
import { holdTo } from "../violations.ts";
import { capabilities, LINKEDIN } from "./rules.ts";

/** Kept as URNs; several images are one multi-image post. */
export type MediaUrns = readonly string[];

/** An external id is a whole URN or its last part; pages have numbers, people have letters in theirs. */
export function authorOf(job: Job): string {
  const id = job.connection.externalId;
  if (id.startsWith("urn:li:")) return id;
  return /^\d+$/.test(id) ? `urn:li:organization:${id}` : `urn:li:person:${id}`;
}

function isPerson(job: Job): boolean {
  return authorOf(job).startsWith("urn:li:person:");
}

const RESERVED = /[\\|{}@[\]()<>#*_~]/g;
// A sign, then letters and digits with at least one letter; "C#" and "a#b" are no hashtags.
const HASHTAG = /(?<![\p{L}\p{N}_&])#([\p{L}\p{N}]*\p{L}[\p{L}\p{N}]*)/gu;

/** Plain text in LinkedIn's little text format: reserved characters escaped, hashtags kept alive. */
export function commentaryOf(text: string): string {
  let out = "";
  let from = 0;
  for (const tag of text.matchAll(HASHTAG)) {
    out += `${escaped(text.slice(from, tag.index))}{hashtag|\\#|${tag[1]}}`;
    from = tag.index + tag[0].length;
  }
  return out + escaped(text.slice(from));
}

function escaped(text: string): string {
  return text.replace(RESERVED, "\\$&");
}

/** What people read of a commentary, to hold posts against each other whatever way they are escaped. */
export function plainOf(commentary: string): string {
  return commentary
    .replace(/\{hashtag\|\\?#\|([^}]*)\}/g, "#$1")
    .replace(/\\([\\|{}@[\]()<>#*_~])/g, "$1")
    .trim();
}

export function postOf(job: Job, media: MediaUrns) {
  return {
    author: authorOf(job),
    commentary: commentaryOf(job.content.caption),
    visibility: visibilityOf(job),
    distribution: { feedDistribution: "MAIN_FEED", targetEntities: [], thirdPartyDistributionChannels: [] },
    ...contentOf(job, media),
    lifecycleState: "PUBLISHED",
    isReshareDisabledByAuthor: false,
  };
}

function visibilityOf(job: Job): string {
  return pickString(job.content.settings, "visibility") ?? "PUBLIC";
}

function contentOf(job: Job, media: MediaUrns) {
  const [first] = media;
  if (first === undefined) return {};
  if (media.length > 1) return { content: { multiImage: { images: media.map((id) => ({ id })) } } };
  // A document shows its title as the name of the carousel.
  return { content: { media: { id: first, ...(isCarousel(job.content) ? { title: carouselName(job) } : {}) } } };
}

export function isCarousel({ settings, media }: Content): boolean {
  return settings.post_as_images_carousel === true && media?.type === "slideshow";
}

function carouselName(job: Job): string {
  const line = job.content.caption.split(/\r\n|\r|\n/).find((one) => /\S/.test(one)) ?? "Slides";
  return pickString(job.content.settings, "carousel_name") ?? Array.from(line.trim()).slice(0, 100).join("");
}

export const CAROUSEL_NEEDS_JPEG = {
  code: "carousel_needs_jpeg",
  message: "A LinkedIn carousel is made of JPEG images. Convert the others, or post without post_as_images_carousel.",
};

/** What LinkedIn refuses beyond its capabilities, whoever the author is. Types that nobody knows are read later. */
export function violationsOf(content: Content): Violation[] {
  const { media } = content;
  if (!isCarousel(content) || media?.type !== "slideshow") return [];
  return media.images.flatMap(({ mimeType }, at) =>
    mimeType === null || mimeType === "image/jpeg"
      ? []
      : [{ path: `media.urls.${at}`, ...CAROUSEL_NEEDS_JPEG, actual: mimeType }],
  );
}

/** Throws what LinkedIn would refuse, before anything is made. */
export function checkPost(job: Job): void {
  holdTo(job.content, capabilities, "LinkedIn", violationsOf(job.content));
  if (visibilityOf(job) === "CONNECTIONS" && !isPerson(job)) {
    throw refused("visibility_not_offered", "A LinkedIn page posts for everyone. Take visibility CONNECTIONS out.");
  }
  const { media } = job.content;
  const longest = LINKEDIN.personVideoSeconds;
  if (media?.type === "video" && isPerson(job) && (media.video.durationMs ?? 0) > longest * 1000) {
    throw refused(
      "video_too_long",
      `People may post videos of up to ${longest / 60} minutes on LinkedIn. Cut this one.`,
    );
  }
}

/** Whether a post of the author's list is the one that this job makes. Media URNs belong to one delivery alone. */
export function isSamePost(job: Job, media: MediaUrns, post: unknown): boolean {
  const [first] = media;
  if (first === undefined) {
    const words = plainOf(pickString(post, "commentary") ?? "");
    return words === plainOf(commentaryOf(job.content.caption)) && !isObject(pick(post, "content", "media"));
  }
  const ids = pickList(post, "content", "multiImage", "images").map((image) => pickString(image, "id"));
  return pickString(post, "content", "media", "id") === first || ids.includes(first);
}

export function refused(code: string, message: string) {
  return failure({ class: "content", code, message });
}
