// Converts a post to the body of a pin, and identifies the pin on its board.

import { measureCaption } from "../caption.ts";
import { pickList, pickString } from "../http.ts";
import { getImages } from "../media.ts";
import { type Content, contentFailure, type Media, type Violation, type Warning } from "../platform.ts";
import { assertWithinLimits } from "../violations.ts";
import { capabilities } from "./rules.ts";

/** Finds violations beyond the capabilities. */
export function findViolations(content: Content): Violation[] {
  return [...findBoardViolations(content), ...findSizeViolations(content), ...findTagViolations(content)];
}

function findBoardViolations({ settings }: Content): Violation[] {
  const board = pickString(settings, "board_id");
  const path = "pinterest.board_id";
  if (!board)
    return [{ path, code: "board_id_missing", message: "pinterest.board_id is required to publish to Pinterest." }];
  if (/^\d+$/.test(board)) return [];
  const message = "pinterest.board_id must consist of digits. Send the id of the board, not its name.";
  return [{ path, code: "board_id_malformed", message, actual: board }];
}

function findSizeViolations({ media }: Content): Violation[] {
  if (media?.type !== "slideshow") return [];
  const known = media.images.flatMap(({ width, height }) => (width && height ? [`${width}x${height}`] : []));
  const sizes = [...new Set(known)].join(", ");
  if (!sizes.includes(",")) return [];
  const message = `All images of a Pinterest carousel must have the same size, but these have ${sizes}. Scale them to the same size.`;
  return [{ path: "media", code: "carousel_shapes", message, actual: sizes }];
}

/** Checks the caption with its tags; the caption alone is checked by the capabilities. */
function findTagViolations(content: Content): Violation[] {
  const { limit, unit } = capabilities.caption;
  const actual = measureCaption(buildDescription(content), unit);
  if (actual <= limit || measureCaption(content.caption, unit) > limit) return [];
  const message = `Caption and tags have ${actual} characters together, but Pinterest allows at most ${limit}. Shorten one of them.`;
  return [{ path: "pinterest.tags", code: "description_too_long", message, limit, actual }];
}

/** Throws the first violation that Pinterest would reject. */
export function assertPublishable(content: Content): void {
  assertWithinLimits(content, capabilities, "Pinterest", findViolations(content));
}

export function getBoardId({ settings }: Content): string {
  return pickString(settings, "board_id") ?? "";
}

export function requireMedia({ media }: Content): Media {
  if (media) return media;
  throw contentFailure(
    "media_missing",
    "Pinterest needs a video or at least one image. Add one and create the post again.",
  );
}

/** Joins caption and tags, because Pinterest has no field for tags. */
export function buildDescription({ caption, settings }: Content): string {
  const there = new Set(caption.toLowerCase().match(/#[^\s#]+/g));
  const tags = pickList(settings, "tags")
    .flatMap((tag) => String(tag).split(","))
    .map((tag) => `#${tag.replaceAll(/[#＃\s]/g, "")}`)
    .filter((tag) => tag !== "#" && !there.has(tag.toLowerCase()));
  return [caption, [...new Set(tags)].join(" ")].filter(Boolean).join("\n\n");
}

export function buildPin(content: Content, mediaId: string | null): Record<string, unknown> {
  const { settings } = content;
  const [title, link] = [pickString(settings, "title"), pickString(settings, "link")];
  const section = pickString(settings, "board_section_id");
  const media = requireMedia(content);
  const altText = getAltText(media);
  return {
    board_id: getBoardId(content),
    ...(section ? { board_section_id: section } : {}),
    description: buildDescription(content),
    ...(title ? { title } : {}),
    ...(link ? { link } : {}),
    ...(altText ? { alt_text: altText } : {}),
    media_source: buildMediaSource({ ...content, media }, mediaId),
  };
}

function buildMediaSource({ media, cover }: Content, mediaId: string | null): Record<string, unknown> {
  if (media?.type === "video") return { source_type: "video_id", media_id: mediaId, ...buildCover(cover) };
  const images = media ? getImages(media) : [];
  const [first] = images;
  if (images.length === 1) return { source_type: "image_url", url: first?.url };
  const index = Math.min(cover?.index ?? 0, images.length - 1);
  return { source_type: "multiple_image_urls", items: images.map(({ url }) => ({ url })), index };
}

/** Pinterest requires a cover; every video has a first frame. A frame is named by its second. */
function buildCover(cover: Content["cover"]): Record<string, unknown> {
  if (cover?.image) return { cover_image_url: cover.image.url };
  return { cover_image_key_frame_time: Math.floor((cover?.timestampMs ?? 0) / 1000) };
}

/** A pin has one alternative text: of its first image, or of its video. */
function getAltText(media: Media): string | null {
  if (media.type === "video") return media.video.altText ?? null;
  return getImages(media)[0]?.altText ?? null;
}

/** Finds the alternative texts of other images, for which a pin has no place. */
export function findWarnings({ media }: Content): Warning[] {
  if (media?.type !== "slideshow") return [];
  const message = "A pin has one alternative text, that of the first image. It is published without this one.";
  return media.images.flatMap(({ altText }, at) =>
    altText && at > 0 ? [{ path: `media.alt_texts.${at}`, code: "alt_text_ignored" as const, message }] : [],
  );
}

/** Returns true if a pin has the description, title and link of this post. */
export function isSamePin(pin: unknown, content: Content): boolean {
  const { settings } = content;
  return (
    normalizeText(pickString(pin, "description")) === normalizeText(buildDescription(content)) &&
    normalizeText(pickString(pin, "title")) === normalizeText(pickString(settings, "title")) &&
    normalizeText(pickString(pin, "link")) === normalizeText(pickString(settings, "link"))
  );
}

function normalizeText(text: string | null): string {
  return (text ?? "").replaceAll(/\s+/g, " ").trim();
}

/** Returns the creation time in ms since the epoch; Pinterest omits the time zone, which is UTC. */
export function getCreatedAt(pin: unknown): number {
  const at = pickString(pin, "created_at") ?? "";
  return Date.parse(/(Z|[+-]\d\d:?\d\d)$/.test(at) ? at : `${at}Z`);
}
