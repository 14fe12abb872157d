// The content of a post: from the request body to what is stored, and the part of it that one network receives.
import type { Content, Media, MediaFile } from "../platforms/platform.ts";
import type { StoredContent } from "../queries/posts.ts";
import { normalizeHints, type PostCreate, type PostPatch } from "../schemas/post-body.ts";
import { FIELD_ALIASES } from "../schemas/post-settings.ts";
import type { Platform } from "../shared/platforms.ts";

/** The fields of a post that networks use, as they are stored. */
export type PostContent = StoredContent;

/** Networks whose settings have a field of their own in a post, named as the network; the others' are in `settings`. */
export const OWN_FIELDS = ["tiktok", "pinterest"] as const satisfies readonly Platform[];
type OwnField = (typeof OWN_FIELDS)[number];

const isOwnField = (platform: Platform): platform is OwnField => OWN_FIELDS.some((field) => field === platform);

type ContentBody = Pick<PostCreate, "caption" | "media" | "music_url" | "settings" | OwnField>;

/** The content of a request body, normalized, so that equal requests have equal hashes. */
export function toPostContent(body: ContentBody): PostContent {
  return {
    caption: body.caption,
    media: toStoredMedia(body.media),
    musicUrl: body.music_url ?? null,
    settings: body.settings ?? {},
    ...mapOwnFields((field) => body[field] ?? null),
  };
}

/** Returns the media as stored, with hint aliases replaced by their canonical names. */
function toStoredMedia(media: PostCreate["media"]): PostContent["media"] {
  if (!media) return null;
  const named = media.type === "video" ? { type: media.type, url: media.url } : { type: media.type, urls: media.urls };
  const hints = Object.entries(normalizeHints(media)).filter(([, value]) => value !== undefined);
  return { ...named, ...Object.fromEntries(hints) };
}

/** Null clears a field, and `settings` are merged per provider. What was stored has passed the schema of the body. */
export function mergeContent(stored: PostContent, patch: PostPatch): ContentBody {
  return {
    caption: patch.caption ?? stored.caption,
    media: patch.media === undefined ? (stored.media as PostCreate["media"]) : patch.media,
    music_url: patch.music_url === undefined ? stored.musicUrl : patch.music_url,
    settings: mergeSettings(stored.settings, patch.settings ?? {}),
    ...(mapOwnFields((field) => (patch[field] === undefined ? stored[field] : patch[field]) ?? undefined) as Pick<
      PostCreate,
      OwnField
    >),
  };
}

function mergeSettings(stored: PostContent["settings"], patch: Record<string, object | null>): PostCreate["settings"] {
  const given = Object.entries(patch).map(([name, provider]) => [
    name,
    provider && { ...omitReplacedAliases(name, stored[name], provider), ...provider },
  ]);
  const merged = Object.entries({ ...stored, ...Object.fromEntries(given) });
  return Object.fromEntries(merged.filter(([, provider]) => provider !== null));
}

function omitReplacedAliases(name: string, stored: object = {}, patch: object): object {
  const replaced = (FIELD_ALIASES[name] ?? []).filter((pair) => pair.some((field) => field in patch)).flat();
  return Object.fromEntries(Object.entries(stored).filter(([field]) => !replaced.includes(field)));
}

function mapOwnFields<Value>(toValue: (field: OwnField) => Value): Record<OwnField, Value> {
  return Object.fromEntries(OWN_FIELDS.map((field) => [field, toValue(field)])) as Record<OwnField, Value>;
}

export function selectContent(platform: Platform, post: PostContent, fileOf: (url: string) => MediaFile): Content {
  const { caption, media, musicUrl } = post;
  return { caption, media: media && toMedia(media, fileOf), musicUrl, settings: selectSettings(platform, post) ?? {} };
}

function toMedia(media: NonNullable<PostContent["media"]>, fileOf: (url: string) => MediaFile): Media {
  return media.type === "video"
    ? { type: "video", video: fileOf(media.url) }
    : { type: "slideshow", images: media.urls.map(fileOf) };
}

function selectSettings(platform: Platform, post: PostContent): Record<string, unknown> | null | undefined {
  return isOwnField(platform) ? post[platform] : post.settings[platform === "twitter" ? "x" : platform];
}
