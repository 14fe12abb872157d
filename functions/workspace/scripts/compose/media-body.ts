// The media of a post as a request has them: what the page shows, and what the stored ones have beyond it.
import type { RequestMedia } from "../../compose/kept-content.ts";

export interface Media {
  name: string;
  type: string;
  url: string;
  /** The alternative text. */
  alt?: string;
}

export const isVideoType = (type: string) => type.startsWith("video/");

/** Media that were opened as a carousel stay one as long as they can. */
export const isCarousel = (items: Media[], stored: RequestMedia | null) =>
  items.length > 1 && (stored?.type === "carousel" || items.some(({ type }) => isVideoType(type)));

export function buildMedia(items: Media[], stored: RequestMedia | null, coverMs: number | null): RequestMedia | null {
  const [first] = items;
  if (!first) return null;
  if (isCarousel(items, stored)) {
    return {
      type: "carousel",
      items: items.map(({ type, url, alt }) => ({ type: isVideoType(type) ? "video" : "image", url, ...toAlt(alt) })),
    };
  }
  if (isVideoType(first.type)) {
    const { url, alt } = first;
    const same = stored?.type === "video" && stored.url === url ? stored : null;
    const { cover_timestamp_ms: ms, alt_text: _, ...kept } = same ?? {};
    const cover = ms !== undefined && coverMs !== null ? { cover_timestamp_ms: coverMs } : {};
    return { ...kept, type: "video", url, ...toAlt(alt), ...cover };
  }
  const urls = items.map(({ url }) => url);
  const alt_texts = items.map(({ alt }) => readAlt(alt));
  const hints = stored?.type === "slideshow" && urls.every((url) => stored.urls.includes(url)) ? stored.metadata : null;
  const cover = stored?.type === "slideshow" ? findImage(stored.cover_index, urls, stored) : null;
  return {
    type: "slideshow",
    urls,
    ...(alt_texts.some(Boolean) ? { alt_texts } : {}),
    ...(cover === null ? {} : { cover_index: cover }),
    ...(hints ? { metadata: hints } : {}),
  };
}

const readAlt = (alt: string | undefined) => (alt?.trim() ? alt : null);
const toAlt = (alt: string | undefined) => (readAlt(alt) === null ? {} : { alt_text: alt });

/** The place that the image with this place among the stored ones has now; null if it is gone. */
export function findImage(stored: number | null | undefined, urls: string[], media: RequestMedia | null) {
  const url = media?.type === "slideshow" && typeof stored === "number" ? media.urls[stored] : undefined;
  const at = url === undefined ? -1 : urls.indexOf(url);
  return at < 0 ? null : at;
}
