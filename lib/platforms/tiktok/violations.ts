// What TikTok refuses beyond its capabilities: settings that do not go together, or not with the media.
import type { Violation } from "../platform.ts";
import { TIKTOK } from "./rules.ts";

interface Post {
  media: { type: "video" | "slideshow" } | null;
  settings: {
    title?: unknown;
    post_mode?: unknown;
    privacy_level?: unknown;
    is_branded_content?: unknown;
    video_cover_timestamp_ms?: unknown;
  };
}

export function violationsOf({ media, settings }: Post): Violation[] {
  const found: Violation[] = [];
  const slideshow = media?.type === "slideshow";
  const [limit, actual] = [TIKTOK.photoTitle, typeof settings.title === "string" ? settings.title.length : 0];
  if (slideshow && actual > limit) {
    const message = `A slideshow's title is at most ${limit} characters, this has ${actual}.`;
    found.push({ path: "tiktok.title", code: "title_too_long", message, limit, actual });
  }
  const add = (field: string, code: string, message: string) => found.push({ path: `tiktok.${field}`, code, message });
  if (settings.post_mode === "MEDIA_UPLOAD" && !slideshow) {
    add("post_mode", "post_mode_not_allowed", "MEDIA_UPLOAD is for slideshows only; leave it out for a video.");
  }
  if (settings.video_cover_timestamp_ms !== undefined && media?.type !== "video") {
    add("video_cover_timestamp_ms", "cover_not_allowed", "Only a video has a cover timestamp.");
  }
  if (settings.is_branded_content === true && settings.privacy_level === "SELF_ONLY") {
    add("is_branded_content", "branded_content_private", "Branded content may not be SELF_ONLY.");
  }
  return found;
}
