// Converts a post to the fields of Threads' media containers.

import { getLinkCard } from "../../shared/post-content.ts";
import { measureCaption } from "../caption.ts";
import { pickString } from "../http.ts";
import type { Containers, Fields } from "../meta-containers.ts";
import type { Content, Job, MediaFile, Violation, Warning } from "../platform.ts";
import { assertWithinLimits } from "../violations.ts";
import { capabilities, THREADS } from "./rules.ts";

export function buildContainers({ content, part }: Pick<Job, "content" | "part">): Containers {
  assertWithinLimits(content, capabilities, "Threads", findViolations(content));
  const { media } = content;
  const shared = buildSharedFields(content, part);
  if (!media) {
    // https://developers.facebook.com/docs/threads/create-posts, read 2026-11-28: for posts of text alone.
    const link_attachment = getLinkCard(content.link ?? null)?.url;
    return { single: { ...shared, media_type: "TEXT", link_attachment } };
  }
  if (media.type === "video") {
    return { single: { ...shared, ...buildFile(media.video, "video") } };
  }
  const items = media.type === "carousel" ? media.items : media.images.map((image) => ({ ...image, kind: "image" }));
  const [first] = items;
  if (first && items.length === 1) return { single: { ...shared, ...buildFile(first, "image") } };
  return {
    children: items.map((item) => ({ ...buildFile(item, item.kind), is_carousel_item: "true" })),
    parent: { ...shared, media_type: "CAROUSEL" },
  };
}

function buildFile({ url, altText }: MediaFile, kind: string): Fields {
  const alt = { alt_text: altText ?? undefined };
  return kind === "video"
    ? { ...alt, media_type: "VIDEO", video_url: url }
    : { ...alt, media_type: "IMAGE", image_url: url };
}

/** Finds violations of rules that `capabilities` does not describe: the number of links. */
export function findViolations(content: Content): Violation[] {
  const { actual, what } = countLinks(content);
  const limit = THREADS.links;
  if (actual <= limit) return [];
  const message = `The caption${what} has ${actual} different links, but Threads allows at most ${limit}. Remove some.`;
  return [{ path: "caption", code: "too_many_links", message, limit, actual }];
}

/**
 * The reference counts emoji by their bytes; posts over the limit in bytes as a whole were refused in production:
 * https://github.com/gitroomhq/postiz-app/pull/1946, read 2026-11-28.
 */
export function findWarnings(content: Content): Warning[] {
  const { limit } = capabilities.caption;
  const bytes = measureCaption(content.caption, "utf8_bytes");
  const { actual: links, what } = countLinks(content);
  const found: Warning[] = [];
  if (bytes > limit) {
    const message = `The caption has ${bytes} bytes in UTF-8. Threads documents ${limit} characters, but may count bytes and reject it. Use fewer accents, quotation marks and emoji, or shorten it.`;
    found.push({ path: "caption", code: "caption_may_be_too_long", message, limit, actual: bytes, unit: "utf8_bytes" });
  }
  if (links >= THREADS.manyLinks) {
    const most = THREADS.manyLinks - 1;
    const message = `The caption${what} has ${links} different links. Threads documents at most ${THREADS.links}, but may reject more than ${most}. Remove some.`;
    found.push({ path: "caption", code: "many_links", message, limit: most, actual: links });
  }
  return found;
}

/**
 * The URL of a link attachment counts, unless the text has it too:
 * https://developers.facebook.com/documentation/threads/create-posts/text-attachments, read 2026-11-30.
 */
function countLinks({ caption, media, link }: Content): { actual: number; what: string } {
  const card = media ? null : getLinkCard(link ?? null);
  return { actual: findLinks(`${caption} ${card?.url ?? ""}`).size, what: card ? " with the link" : "" };
}

/** Returns the distinct links, without trailing punctuation. */
export function findLinks(text: string): Set<string> {
  const found = text.match(/\b(?:https?:\/\/|www\.)[^\s<>"]+/giu) ?? [];
  return new Set(found.map((link) => link.replace(/[.,;:!?'")\]}]+$/u, "")));
}

/** https://developers.facebook.com/documentation/threads/retrieve-and-manage-replies/create-replies, read 2026-11-28. */
function buildSharedFields({ caption, settings }: Content, part: Job["part"]): Fields {
  if (part) return { text: caption, reply_to_id: part.parent.id ?? undefined };
  return {
    text: caption,
    reply_control: pickString(settings, "reply_control") ?? undefined,
    topic_tag: pickString(settings, "topic_tag") ?? undefined,
  };
}
