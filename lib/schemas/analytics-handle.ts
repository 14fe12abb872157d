// Account handles as customers write them: `@Name`, `name`, or the URL of the profile.

import type { Platform } from "../shared/platforms.ts";

/** The hosts of each network's profiles, as a regular expression. Pinterest has one for many countries. */
const HOSTS: Readonly<Record<Platform, string>> = {
  tiktok: "tiktok\\.com",
  instagram: "instagr(am\\.com|\\.am)",
  youtube: "youtube\\.com",
  twitter: "(x|twitter)\\.com",
  pinterest: "pinterest\\.(com|(com?\\.)?[a-z]{2})",
  threads: "threads\\.(com|net)",
  linkedin: "linkedin\\.com",
  facebook: "(facebook|fb)\\.com",
  bluesky: "bsky\\.app",
};

const URL_LIKE = new RegExp(`^((https?|at)://|([\\w-]+\\.)*(${Object.values(HOSTS).join("|")})(/|$))`, "i");
const HANDLE = /^[^\s/\\?#@,]{1,100}$/u;
/** Pages and people that have no handle are known by their names. */
const NAME = /^[^\p{Cc}/\\?#@]{1,100}$/u;
const NAMED: readonly Platform[] = ["facebook", "linkedin"];

/**
 * Paths that are not profiles, of the networks whose profiles follow the host at once. Profiles of the others begin with `@`,
 * or stand behind a prefix.
 */
const OTHER_PATHS: Readonly<Partial<Record<Platform, RegExp>>> = {
  instagram: /^(p|reels?|tv|s|share|stories|explore|popular|channel|accounts|direct|invites)$/i,
  youtube:
    /^(watch|shorts|post|clip|source|v|e|playlist|results|feed|embed|live|hashtag|browse|video|gaming|account|redirect)$/i,
  twitter: /^(i|home|search|hashtag|explore|settings|messages|notifications|intent|share|compose|login|jobs)$/i,
  pinterest: /^(pin|ideas|search|settings|business|today|videos|login)$/i,
  facebook:
    /^(groups|watch|events|marketplace|photos?|videos|media|reels?|share|hashtag|stories|latest|login|gaming|help|.+\.php)$/i,
};

/** The part of a path before the profile: `linkedin.com/company/north-light`. */
const PREFIXES: Readonly<Partial<Record<Platform, RegExp>>> = {
  instagram: /^_u$/,
  youtube: /^(channel|c|user)$/,
  linkedin: /^(company|showcase|school|in)$/i,
  facebook: /^pg$/,
  bluesky: /^profile$/,
};

/** Paths whose query names the profile: a page without a name of its own has a number, and a button to follow has a name. */
const NAMED_IN_QUERY: Readonly<Partial<Record<Platform, { path: string; field: string }>>> = {
  facebook: { path: "profile.php", field: "id" },
  twitter: { path: "intent", field: "screen_name" },
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
  // A record of Bluesky, at://ann.bsky.social/app.bsky.feed.post/3k, or the account that it is of.
  const [, authority] = /^at:\/\/([^/]+)/i.exec(text) ?? [];
  if (authority) return network === "bluesky" ? authority : null;
  const full = /^https?:\/\//i.test(text) ? text : `https://${text}`;
  if (!URL.canParse(full)) return null;
  const { hostname, pathname, searchParams } = new URL(full);
  // A handle of Bluesky is a host too, which leads to its profile.
  if (network === "bluesky" && /^[\w-]+\.bsky\.social$/.test(hostname)) return hostname;
  if (!new RegExp(`(^|\\.)(${HOSTS[network]})$`).test(hostname)) return null;
  const path = network === "linkedin" ? toPresentLinkedinPath(pathname) : pathname;
  const [first = "", second] = path.split("/").filter(Boolean).map(decodeIfPossible);
  if (first.startsWith("@")) return first;
  const named = NAMED_IN_QUERY[network];
  if (named?.path === first) return searchParams.get(named.field);
  // Facebook writes the name of a page or person before its number: `people/Ann/1000123`, `p/North-Light-1000123`.
  if (network === "facebook" && /^(p|people|pages)$/.test(first)) return /\d+(?=\/?$)/.exec(pathname)?.[0] ?? null;
  if (PREFIXES[network]?.test(first)) return second ?? null;
  return OTHER_PATHS[network]?.test(first) === false ? first : null;
}

/**
 * `mwlite` was the site for phones. Of the former pub/ann-lee/a7/576/b50, now in/ann-lee-b50576a7, only numbers of full length are
 * certain: https://www.npmjs.com/package/linkedin-canonical-url, read 2026-11-30.
 */
const toPresentLinkedinPath = (path: string) =>
  path
    .replace(/^\/(mwlite|comm)\//, "/")
    .replace(/^\/pub\/([^/]+)\/([\da-f]{2})\/([\da-f]{3})\/([\da-f]{3})(?=\/|$)/i, "/in/$1-$4$3$2");

function decodeIfPossible(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}
