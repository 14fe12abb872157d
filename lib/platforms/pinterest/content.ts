// Turns a post into the body of a pin, and recognises it again on its board.
import { captionLength } from "../caption.ts";
import { pickList, pickString } from "../http.ts";
import { type Content, failure, type Media, type Violation } from "../platform.ts";
import { holdTo } from "../violations.ts";
import { capabilities } from "./rules.ts";

/** What Pinterest refuses beyond its capabilities. */
export function violationsOf(content: Content): Violation[] {
  return [...boardViolations(content), ...shapeViolations(content), ...tagViolations(content)];
}

function boardViolations({ settings }: Content): Violation[] {
  const board = pickString(settings, "board_id");
  const path = "pinterest.board_id";
  if (!board)
    return [{ path, code: "board_id_missing", message: "board_id required to publish: a pin needs a board." }];
  if (/^\d+$/.test(board)) return [];
  const message = "A board id is a row of digits. Take the id of a board, not its name.";
  return [{ path, code: "board_id_malformed", message, actual: board }];
}

function shapeViolations({ media }: Content): Violation[] {
  if (media?.type !== "slideshow") return [];
  const known = media.images.flatMap(({ width, height }) => (width && height ? [`${width}x${height}`] : []));
  const shapes = [...new Set(known)].join(", ");
  if (!shapes.includes(",")) return [];
  const message = `All images of a Pinterest carousel must have one size; these have ${shapes}.`;
  return [{ path: "media", code: "carousel_shapes", message, actual: shapes }];
}

/** Only where the tags make the caption too long: on its own it is held to the same limit. */
function tagViolations(content: Content): Violation[] {
  const { limit, unit } = capabilities.caption;
  const actual = captionLength(descriptionOf(content), unit);
  if (actual <= limit || captionLength(content.caption, unit) > limit) return [];
  const message = `Caption and tags have ${actual} characters together, Pinterest takes ${limit}. Shorten one.`;
  return [{ path: "pinterest.tags", code: "description_too_long", message, limit, actual }];
}

/** Throws what Pinterest would refuse. */
export function checkPin(content: Content): void {
  holdTo(content, capabilities, "Pinterest", violationsOf(content));
}

export function boardOf({ settings }: Content): string {
  return pickString(settings, "board_id") ?? "";
}

export function mediaOf({ media }: Content): Media {
  if (media) return media;
  throw failure({
    class: "content",
    code: "media_missing",
    message: "Pinterest needs a video or at least one image. Add one and post again.",
  });
}

/** Caption and tags in one text: Pinterest has no field for tags. */
function descriptionOf({ caption, settings }: Content): string {
  const there = new Set(caption.toLowerCase().match(/#[^\s#]+/g));
  const tags = pickList(settings, "tags")
    .map((tag) => `#${String(tag).replaceAll(/[#\s]/g, "")}`)
    .filter((tag) => tag !== "#" && !there.has(tag.toLowerCase()));
  return [caption, [...new Set(tags)].join(" ")].filter(Boolean).join("\n\n");
}

export function pinOf(content: Content, mediaId: string | null): Record<string, unknown> {
  const { settings } = content;
  const [title, link] = [pickString(settings, "title"), pickString(settings, "link")];
  return {
    board_id: boardOf(content),
    description: descriptionOf(content),
    ...(title ? { title } : {}),
    ...(link ? { link } : {}),
    media_source: sourceOf(mediaOf(content), mediaId),
  };
}

function sourceOf(media: Media, mediaId: string | null): Record<string, unknown> {
  if (media.type === "video") {
    // Pinterest demands a cover, and the first frame is the one that every video has.
    return { source_type: "video_id", media_id: mediaId, cover_image_key_frame_time: 0 };
  }
  const [first] = media.images;
  if (media.images.length === 1) return { source_type: "image_url", url: first?.url };
  return { source_type: "multiple_image_urls", items: media.images.map(({ url }) => ({ url })), index: 0 };
}

/** Whether a pin of the board has the words and the link of this post. */
export function isSamePin(pin: unknown, content: Content): boolean {
  const { settings } = content;
  return (
    plain(pickString(pin, "description")) === plain(descriptionOf(content)) &&
    plain(pickString(pin, "title")) === plain(pickString(settings, "title")) &&
    plain(pickString(pin, "link")) === plain(pickString(settings, "link"))
  );
}

function plain(text: string | null): string {
  return (text ?? "").replaceAll(/\s+/g, " ").trim();
}

/** When a pin was made; Pinterest leaves the zone out, which is UTC. */
export function madeAt(pin: unknown): number {
  const at = pickString(pin, "created_at") ?? "";
  return Date.parse(/(Z|[+-]\d\d:?\d\d)$/.test(at) ? at : `${at}Z`);
}
