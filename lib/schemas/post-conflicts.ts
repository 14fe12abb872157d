// Fields of one meaning that have different values: a cover or a link, and the older field of a provider for it.
import type { PostLink } from "../shared/post-content.ts";
import type { PostMedia } from "../shared/post-media.ts";

type Settings = Record<string, unknown>;

interface Conflict {
  path: string;
  code: "contradiction";
  message: string;
}

interface ConflictingFields {
  media: PostMedia | null;
  tiktok: Settings | null;
  settings: Record<string, Settings>;
  link: PostLink | null;
}

/** The older fields of providers for the cover of a video or slideshow, each with the field of `media` that it equals. */
function listProviderCovers({ tiktok, settings }: Pick<ConflictingFields, "tiktok" | "settings">) {
  const { instagram, youtube } = settings;
  const thumbnail = youtube?.thumbnail as { path?: string } | undefined;
  return [
    { path: "settings.instagram.cover_url", field: "cover_url", value: instagram?.cover_url },
    { path: "settings.instagram.thumb_offset_ms", field: "cover_timestamp_ms", value: instagram?.thumb_offset_ms },
    { path: "settings.youtube.thumbnail", field: "cover_url", value: thumbnail?.path },
    { path: "tiktok.video_cover_timestamp_ms", field: "cover_timestamp_ms", value: tiktok?.video_cover_timestamp_ms },
    { path: "tiktok.photo_cover_index", field: "cover_index", value: tiktok?.photo_cover_index },
  ] as const;
}

export function findContentConflicts({ media, link, ...providers }: ConflictingFields): Conflict[] {
  const covers = listProviderCovers(providers).flatMap(({ path, field, value }): Conflict[] => {
    const chosen = media?.[field];
    if (value === undefined || chosen === undefined || value === chosen) return [];
    const message = `Is the same field as media.${field}, but has a different value. Send only one of them.`;
    return [{ path, code: "contradiction", message }];
  });
  const { url } = providers.settings.facebook ?? {};
  if (!link?.url || url === undefined || url === link.url) return covers;
  const message = "Is the same field as link.url, but has a different value. Send only one of them.";
  return [...covers, { path: "settings.facebook.url", code: "contradiction", message }];
}
