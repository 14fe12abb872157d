// Content for the tests of X.
import type { Content, MediaFile } from "../../lib/platforms/platform.ts";
import type { MediaHost } from "./media-host.ts";

export function file(url: string, mimeType: string | null): MediaFile {
  return { url, mimeType, bytes: null, durationMs: null, width: null, height: null };
}

export function text(caption: string, settings: Record<string, unknown>): Content {
  return { caption, media: null, musicUrl: null, settings };
}

export function video(media: MediaHost, name: string): Content {
  const source = file(media.url(name), "video/mp4");
  return { caption: "A clip", media: { type: "video", video: source }, musicUrl: null, settings: {} };
}

export function images(media: MediaHost, names: string[], type: string | null): Content {
  const files = names.map((name) => file(media.url(name), type));
  return { caption: "Pictures", media: { type: "slideshow", images: files }, musicUrl: null, settings: {} };
}
