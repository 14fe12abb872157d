// Names of accounts as customers write them: `@Name`, `name`, or the URL of the profile.

export const NETWORKS = ["tiktok", "instagram", "youtube"] as const;
export type Network = (typeof NETWORKS)[number];

const URL_LIKE = /^(https?:\/\/|([\w-]+\.)*(tiktok|instagram|youtube)\.com(\/|$))/i;
const HANDLE = /^[^\s/\\?#@,]{1,100}$/u;

/** Pages of a network that are no profiles. */
const NO_PROFILES: Record<Network, readonly string[]> = {
  tiktok: [],
  instagram: ["p", "reel", "reels", "tv", "stories", "explore", "accounts", "direct"],
  youtube: ["watch", "shorts", "playlist", "results", "feed", "embed", "live", "hashtag"],
};

/** The handle (of YouTube also a channel id) in the case it was written; null when the text names no account. */
export function handleOf(network: Network, text: string): string | null {
  const trimmed = text.trim();
  const named = URL_LIKE.test(trimmed) ? inUrl(network, trimmed) : trimmed;
  const handle = named?.replace(/^@/, "") ?? "";
  return HANDLE.test(handle) ? handle : null;
}

/** What makes two names of an account the same. */
export function normalized(handle: string): string {
  return handle.normalize("NFC").toLowerCase();
}

function inUrl(network: Network, text: string): string | null {
  const full = /^https?:\/\//i.test(text) ? text : `https://${text}`;
  if (!URL.canParse(full)) return null;
  const { hostname, pathname } = new URL(full);
  if (!`.${hostname}`.endsWith(`.${network}.com`)) return null;
  const [first, second] = pathname.split("/").filter(Boolean).map(decoded);
  if (!first || NO_PROFILES[network].includes(first.toLowerCase())) return null;
  if (first.startsWith("@")) return first;
  if (network === "youtube") return /^(channel|c|user)$/.test(first) ? (second ?? null) : first;
  return network === "instagram" ? first : null;
}

function decoded(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}
