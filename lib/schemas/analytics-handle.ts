// Account handles as customers write them: `@Name`, `name`, or the URL of the profile.

import type { Platform } from "../shared/platforms.ts";

/** The hosts of each network's profiles. */
const HOSTS: Readonly<Record<Platform, readonly string[]>> = {
  tiktok: ["tiktok.com"],
  instagram: ["instagram.com"],
  youtube: ["youtube.com"],
  twitter: ["x.com", "twitter.com"],
  pinterest: ["pinterest.com"],
  threads: ["threads.com", "threads.net"],
  linkedin: ["linkedin.com"],
  facebook: ["facebook.com"],
  bluesky: ["bsky.app"],
};

const ALL_HOSTS = Object.values(HOSTS).flat().join("|").replaceAll(".", "\\.");
const URL_LIKE = new RegExp(`^(https?://|([\\w-]+\\.)*(${ALL_HOSTS})(/|$))`, "i");
const HANDLE = /^[^\s/\\?#@,]{1,100}$/u;
/** Pages and people that have no handle are known by their names. */
const NAME = /^[^\p{Cc}/\\?#@]{1,100}$/u;
const NAMED: readonly Platform[] = ["facebook", "linkedin"];

/** Paths of a network that are not profiles. */
const RESERVED_PATHS: Readonly<Record<Platform, readonly string[]>> = {
  tiktok: [],
  instagram: ["p", "reel", "reels", "tv", "stories", "explore", "accounts", "direct", "invites"],
  youtube: ["watch", "shorts", "playlist", "results", "feed", "embed", "live", "hashtag"],
  twitter: ["i", "home", "search", "hashtag", "explore", "settings", "messages", "notifications"],
  pinterest: ["pin", "ideas", "search", "settings", "business"],
  threads: ["search", "settings"],
  linkedin: ["feed", "posts", "jobs", "pulse", "groups"],
  facebook: ["groups", "watch", "events", "marketplace", "photo", "reel", "share", "permalink.php", "story.php"],
  bluesky: [],
};

/** The part of a path before the profile: `linkedin.com/company/north-light`. */
const PREFIXES: Readonly<Partial<Record<Platform, RegExp>>> = {
  instagram: /^_u$/,
  youtube: /^(channel|c|user)$/,
  linkedin: /^(company|showcase|school|in)$/,
  bluesky: /^profile$/,
};

/** The handle (on YouTube also a channel id) in its original case; null when the text names no account. */
export function parseHandle(network: Platform, text: string): string | null {
  const trimmed = (NAMED.includes(network) ? text : toPlainLetters(text)).trim();
  const named = URL_LIKE.test(trimmed) ? readHandleFromUrl(network, trimmed) : trimmed;
  const handle = named?.replace(/^@/, "") ?? "";
  return (NAMED.includes(network) ? NAME : HANDLE).test(handle) ? handle : null;
}

/** Keyboards write full-width letters, and copied text contains characters without width: handles have neither. */
const toPlainLetters = (text: string) => text.normalize("NFKC").replace(/\p{Cf}/gu, "");

/**
 * An id of a YouTube channel, whose case matters. Only its beginning is documented:
 * https://developers.google.com/google-ads/api/reference/rpc/v25/YoutubeVideoIdentifier, read 2026-11-28.
 */
const CHANNEL_ID = /^UC[\w-]{22}$/;

/** Two handles name the same account when their normalized forms are equal. */
export function normalizeHandle(handle: string): string {
  return CHANNEL_ID.test(handle) ? handle : handle.normalize("NFC").toLowerCase();
}

function readHandleFromUrl(network: Platform, text: string): string | null {
  const full = /^https?:\/\//i.test(text) ? text : `https://${text}`;
  if (!URL.canParse(full)) return null;
  const { hostname, pathname, searchParams } = new URL(full);
  if (!HOSTS[network].some((host) => `.${hostname}`.endsWith(`.${host}`))) return null;
  const [first, second] = pathname.split("/").filter(Boolean).map(decodeIfPossible);
  if (!first || RESERVED_PATHS[network].includes(first.toLowerCase())) return null;
  if (first.startsWith("@")) return first;
  // A page without a name of its own has a number.
  if (network === "facebook" && first === "profile.php") return searchParams.get("id");
  if (PREFIXES[network]?.test(first)) return second ?? null;
  return WITHOUT_PREFIX.includes(network) ? first : null;
}

/** Profiles of the others begin with `@`, or stand behind a prefix. */
const WITHOUT_PREFIX: readonly Platform[] = ["instagram", "youtube", "twitter", "pinterest", "facebook"];

function decodeIfPossible(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}
