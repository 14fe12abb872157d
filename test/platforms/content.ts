// Content for the tests of drivers.
import type { Content, MediaFile } from "../../lib/platforms/platform.ts";
import type { MediaHost } from "./media-host.ts";

type Settings = Record<string, unknown>;

/** A file of which nothing is known but `facts`. */
export function file(url: string, facts: Partial<MediaFile> = {}): MediaFile {
  return { url, mimeType: null, bytes: null, durationMs: null, width: null, height: null, ...facts };
}

export function text(caption: string, settings: Settings = {}): Content {
  return { caption, media: null, musicUrl: null, settings };
}

export function video(host: MediaHost, name: string, settings: Settings = {}, facts: Partial<MediaFile> = {}): Content {
  const source = file(host.url(name), { mimeType: "video/mp4", ...facts });
  return { ...text("A clip", settings), media: { type: "video", video: source } };
}

export function images(
  host: MediaHost,
  names: string[],
  settings: Settings = {},
  facts: Partial<MediaFile> = {},
): Content {
  const files = names.map((name) => file(host.url(name), facts));
  return { ...text("Pictures", settings), media: { type: "slideshow", images: files } };
}
