// TikTok settings that contradict one another or the media.
import type { RuleCode } from "../shared/field-codes.ts";
import { TIKTOK_FIELDS } from "./post-limits.ts";

interface Conflict {
  path: string;
  code: RuleCode;
  message: string;
  limit?: number;
  actual?: number;
}

interface PostSettings {
  media: { type: "video" | "slideshow" | "carousel" } | null;
  settings: {
    title?: unknown;
    post_mode?: unknown;
    privacy_level?: unknown;
    is_branded_content?: unknown;
    video_cover_timestamp_ms?: unknown;
    photo_cover_index?: unknown;
  };
}

export function findTikTokConflicts({ media, settings }: PostSettings): Conflict[] {
  const found: Conflict[] = [];
  const slideshow = media?.type === "slideshow";
  const [limit, actual] = [TIKTOK_FIELDS.photoTitle, typeof settings.title === "string" ? settings.title.length : 0];
  if (slideshow && actual > limit) {
    const message = `tiktok.title of a slideshow has ${actual} characters, but at most ${limit} are allowed. Shorten it.`;
    found.push({ path: "tiktok.title", code: "title_too_long", message, limit, actual });
  }
  const add = (field: string, code: RuleCode, message: string) =>
    found.push({ path: `tiktok.${field}`, code, message });
  if (settings.post_mode === "MEDIA_UPLOAD" && !slideshow) {
    add(
      "post_mode",
      "post_mode_not_allowed",
      "post_mode MEDIA_UPLOAD is allowed for slideshows only. Remove it for a video.",
    );
  }
  if (settings.video_cover_timestamp_ms !== undefined && media?.type !== "video") {
    add(
      "video_cover_timestamp_ms",
      "cover_not_allowed",
      "video_cover_timestamp_ms is allowed for videos only. Remove it.",
    );
  }
  if (settings.photo_cover_index !== undefined && !slideshow) {
    add("photo_cover_index", "cover_not_allowed", "photo_cover_index is allowed for slideshows only. Remove it.");
  }
  if (settings.is_branded_content === true && settings.privacy_level === "SELF_ONLY") {
    add(
      "is_branded_content",
      "branded_content_private",
      "is_branded_content is not allowed with privacy_level SELF_ONLY. Use another privacy_level, or remove is_branded_content.",
    );
  }
  return found;
}
