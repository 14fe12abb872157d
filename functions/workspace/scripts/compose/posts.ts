// The posts that the form describes: one for TikTok's own accounts, one for the others.
import { NETWORK_FIELDS } from "../../compose/network-fields.ts";
import type { Accounts } from "./accounts.ts";
import type { ComposedPost } from "./drafts.ts";

interface Written {
  caption: string;
  media: ComposedPost["body"]["media"];
  scheduledAt: ComposedPost["body"]["scheduled_at"];
  accounts: Accounts;
  readSettings(provider: string): Record<string, unknown>;
  readTikTok(isVideo: boolean): NonNullable<ComposedPost["body"]["tiktok"]>;
  coverMs: number | null;
}

const toIds = (boxes: HTMLInputElement[]) => boxes.map(({ value }) => ({ id: value }));

export function buildPosts({ caption, media, scheduledAt, accounts, ...written }: Written): ComposedPost[] {
  const shared = { caption, media: media ?? null, ...(scheduledAt ? { scheduled_at: scheduledAt } : {}) };
  const [own, others] = [accounts.listOwnTikTok(), accounts.listOthers()];
  const isVideo = media?.type === "video";
  const posts: ComposedPost[] = [];
  if (own.length > 0) {
    posts.push({ kind: "tiktok", body: { ...shared, accounts: toIds(own), tiktok: written.readTikTok(isVideo) } });
  }
  if (others.length > 0) {
    const body = { ...shared, accounts: toIds(others), ...buildSettings(accounts.listPlatforms(), written, isVideo) };
    posts.push({ kind: "others", body });
  }
  return posts;
}

type Settings = Pick<ComposedPost["body"], "settings" | "pinterest">;

/** A network without a setting has no entry. */
function buildSettings(
  platforms: Set<string>,
  { readSettings, coverMs }: Pick<Written, "readSettings" | "coverMs">,
  isVideo: boolean,
): Settings {
  const settings: Record<string, object> = {};
  for (const { provider, platform } of NETWORK_FIELDS) {
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
