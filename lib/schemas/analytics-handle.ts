// Account handles as customers write them: `@Name`, `name`, or the URL of the profile.

export const NETWORKS = ["tiktok", "instagram", "youtube"] as const;
export type Network = (typeof NETWORKS)[number];

const URL_LIKE = /^(https?:\/\/|([\w-]+\.)*(tiktok|instagram|youtube)\.com(\/|$))/i;
const HANDLE = /^[^\s/\\?#@,]{1,100}$/u;

/** Paths of a network that are not profiles. */
const RESERVED_PATHS: Record<Network, readonly string[]> = {
  tiktok: [],
  instagram: ["p", "reel", "reels", "tv", "stories", "explore", "accounts", "direct"],
  youtube: ["watch", "shorts", "playlist", "results", "feed", "embed", "live", "hashtag"],
};

/** The handle (on YouTube also a channel id) in its original case; null when the text names no account. */
export function parseHandle(network: Network, text: string): string | null {
  const trimmed = text.trim();
  const named = URL_LIKE.test(trimmed) ? readHandleFromUrl(network, trimmed) : trimmed;
  const handle = named?.replace(/^@/, "") ?? "";
  return HANDLE.test(handle) ? handle : null;
}

/**
 * An id of a YouTube channel, whose case matters. Only its beginning is documented:
 * https://developers.google.com/google-ads/api/reference/rpc/v25/YoutubeVideoIdentifier, read 2026-11-28.
 */
const CHANNEL_ID = /^UC[\w-]{22}$/;

/** Two handles name the same account when their normalized forms are equal. */
export function normalizeHandle(handle: string): string {
  return CHANNEL_ID.test(handle) ? handle : handle.normalize("NFC").toLowerCase();
}

function readHandleFromUrl(network: Network, text: string): string | null {
  const full = /^https?:\/\//i.test(text) ? text : `https://${text}`;
  if (!URL.canParse(full)) return null;
  const { hostname, pathname } = new URL(full);
  if (!`.${hostname}`.endsWith(`.${network}.com`)) return null;
  const [first, second] = pathname.split("/").filter(Boolean).map(decodeIfPossible);
  if (!first || RESERVED_PATHS[network].includes(first.toLowerCase())) return null;
  if (first.startsWith("@")) return first;
  if (network === "youtube") return /^(channel|c|user)$/.test(first) ? (second ?? null) : first;
  return network === "instagram" ? first : null;
}

function decodeIfPossible(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}
