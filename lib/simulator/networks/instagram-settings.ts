// The settings of a container that Instagram rejects: https://developers.facebook.com/docs/instagram-platform/
// instagram-graph-api/reference/ig-user/media, read 2026-11-28.

/** Images are tagged at a place; a reel alone names its audio, and an item of a carousel has neither place nor label. */
export function findInvalidSetting(fields: Record<string, string>): string | null {
  const isReel = fields.media_type === "REELS";
  if (fields.user_tags !== undefined) {
    const tags = parseList(fields.user_tags);
    const isPlaced = ({ x, y }: Tag) => [x, y].every((at) => typeof at === "number" && at >= 0 && at <= 1);
    const isValid = tags?.every((tag) => Boolean(tag.username) && (isReel || isPlaced(tag)));
    if (!isValid || (tags?.length ?? 0) > 20 || fields.media_type === "CAROUSEL") return "user_tags";
  }
  if (fields.audio_name !== undefined && !isReel) return "audio_name";
  const isPicture = fields.image_url !== undefined && fields.media_type !== "STORIES";
  if (fields.alt_text !== undefined && !isPicture) return "alt_text";
  // A single video is a reel.
  if (fields.media_type === "VIDEO" && fields.is_carousel_item !== "true") return "media_type";
  const isItem = fields.is_carousel_item === "true";
  if (fields.is_ai_generated !== undefined && isItem) return "is_ai_generated";
  const mayHavePlace = !isItem && fields.media_type !== "STORIES";
  return fields.location_id === undefined || (mayHavePlace && /^\d+$/.test(fields.location_id)) ? null : "location_id";
}

type Tag = Record<string, unknown>;

function parseList(text: string): Tag[] | null {
  try {
    const value: unknown = JSON.parse(text);
    return Array.isArray(value) ? value : null;
  } catch {
    return null;
  }
}
