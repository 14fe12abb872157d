// What of a post goes to one network: the same selection when a post is checked and when it is published.
import type { Content, Media, MediaFile, Platform } from "../platforms/platform.ts";
import type { Provider } from "../schemas/post-settings.ts";

type Named = { type: "video"; url: string } | { type: "slideshow"; urls: readonly string[] };

/** What a caller said, as far as networks are concerned. */
export interface Said {
  caption: string;
  media: Named | null;
  musicUrl: string | null;
  tiktok: Record<string, unknown> | null;
  pinterest: Record<string, unknown> | null;
  settings: Partial<Record<Provider, Record<string, unknown>>>;
}

export function contentFor(platform: Platform, said: Said, fileOf: (url: string) => MediaFile): Content {
  const { caption, media, musicUrl } = said;
  return { caption, media: media && mediaOf(media, fileOf), musicUrl, settings: settingsFor(platform, said) ?? {} };
}

function mediaOf(media: Named, fileOf: (url: string) => MediaFile): Media {
  return media.type === "video"
    ? { type: "video", video: fileOf(media.url) }
    : { type: "slideshow", images: media.urls.map(fileOf) };
}

function settingsFor(platform: Platform, { tiktok, pinterest, settings }: Said) {
  if (platform === "tiktok") return tiktok;
  if (platform === "pinterest") return pinterest;
  return settings[platform === "twitter" ? "x" : platform];
}
