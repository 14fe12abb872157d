// The posts that the form describes: one for TikTok's own accounts, one for the others.
import type { Extras, KeptContent, PostBody } from "../../compose/kept-content.ts";
import { NETWORK_FIELDS } from "../../compose/network-fields.ts";
import { findImage } from "./media-body.ts";

/** TikTok's settings are for posts to TikTok alone, so its accounts get a post of their own. */
export type PostKind = "tiktok" | "others";

export interface ComposedPost {
  kind: PostKind;
  body: PostBody;
}

interface Written {
  caption: string;
  media: PostBody["media"];
  scheduledAt: PostBody["scheduled_at"];
  /** Of TikTok's own accounts, and of the others. */
  accounts: { tiktok: string[]; others: string[]; platforms: Set<string> };
  kept: KeptContent;
  /** Beyond caption and media, of the accounts that are not TikTok's own. */
  extras: Extras;
  readSettings(provider: string): Record<string, unknown>;
  readTikTok(isVideo: boolean): NonNullable<PostBody["tiktok"]>;
  coverMs: number | null;
}

export function buildPosts({
  caption,
  media,
  scheduledAt,
  accounts,
  kept,
  extras,
  ...written
}: Written): ComposedPost[] {
  const shared = { caption, media: media ?? null, ...(scheduledAt ? { scheduled_at: scheduledAt } : {}) };
  const toEntries = (ids: string[]) => ids.map((id) => ({ id, ...kept.accounts[id] }));
  const isVideo = media?.type === "video";
  const posts: ComposedPost[] = [];
  if (accounts.tiktok.length > 0) {
    const { photo_cover_index: cover, ...tiktok } = written.readTikTok(isVideo);
    const at = media?.type === "slideshow" ? findImage(cover, media.urls, kept.media) : null;
    const settings = { tiktok: { ...tiktok, ...(at === null ? {} : { photo_cover_index: at }) } };
    const body = { ...shared, ...kept.fields.tiktok, accounts: toEntries(accounts.tiktok), ...settings };
    posts.push({ kind: "tiktok", body });
  }
  if (accounts.others.length > 0) {
    const settings = buildSettings(accounts.platforms, written, isVideo);
    const { music_url } = kept.fields.others;
    const own = { ...extras, ...(music_url === undefined ? {} : { music_url }) };
    const body = { ...shared, ...own, accounts: toEntries(accounts.others), ...settings };
    posts.push({ kind: "others", body });
  }
  return posts;
}

/** An update keeps these unless it names them: a field that is empty now has no value in the body of the post. */
const CLEARED = { scheduled_at: null, tiktok: null, pinterest: null, first_comment: null, thread: null };

/** The change of a stored draft: what the composer has no field for is left as it is stored. */
export function toChange({ music_url: _, ...body }: PostBody) {
  return { ...CLEARED, ...body };
}

type Settings = Pick<PostBody, "settings" | "pinterest">;

/** Settings that stay as they are stored. */
const WITHOUT_FIELDS = [{ provider: "bluesky", platform: "bluesky" }] as const;

/** A network without a setting has no entry. */
function buildSettings(
  platforms: Set<string>,
  { readSettings, coverMs }: Pick<Written, "readSettings" | "coverMs">,
  isVideo: boolean,
): Settings {
  const settings: Record<string, object> = {};
  for (const { provider, platform } of [...NETWORK_FIELDS, ...WITHOUT_FIELDS]) {
    if (!platforms.has(platform)) continue;
    const own = readSettings(provider);
    if (provider === "instagram") {
      delete own.thumb_offset_ms;
      if (isVideo && coverMs !== null) own.thumb_offset_ms = coverMs;
    }
    if (Object.keys(own).length > 0) settings[provider] = own;
  }
  const { pinterest, ...others } = settings;
  // The service checks the fields: their types here are those of the form.
  return {
    ...(Object.keys(others).length > 0 ? { settings: others } : {}),
    ...(pinterest ? { pinterest } : {}),
  } as Settings;
}
