// Content for the tests of LinkedIn.
import type { Content, Media, MediaFile } from "../../lib/platforms/platform.ts";
import type { MediaHost } from "./media-host.ts";

export function file(url: string): MediaFile {
  return { url, mimeType: null, bytes: null, durationMs: null, width: null, height: null };
}

export function post(caption: string, media: Media | null, settings: Record<string, unknown>): Content {
  return { caption, media, musicUrl: null, settings };
}

export function images(media: MediaHost, names: string[]): Media {
  return { type: "slideshow", images: names.map((name) => file(media.url(name))) };
}

export function video(media: MediaHost, name: string): Media {
  return { type: "video", video: file(media.url(name)) };
}
