// Links in a text as Bluesky's own library detects them, and as its app shortens them.
// https://github.com/bluesky-social/atproto/blob/main/packages/api/src/rich-text/detection.ts and
// https://github.com/bluesky-social/social-app/blob/main/src/lib/strings/url-helpers.ts (toShortUrl), read 2026-11-28.
import countryDomains from "@ambassify/twitter-text/dist/regexp/validCCTLD.js";
import genericDomains from "@ambassify/twitter-text/dist/regexp/validGTLD.js";

/** A link by UTF-16 positions, the end exclusive. */
export interface Link {
  start: number;
  end: number;
  uri: string;
}

const URL_IN_TEXT = /(?<=^|\s|\()(?:https?:\/\/\S+|(?<domain>[a-z][a-z0-9]*(?:\.[a-z0-9]+)+)\S*)/gim;
const TOP_LEVEL_DOMAIN = new RegExp(`\\.(?:${genericDomains.source}|${countryDomains.source})$`);
/** As the records' schema wants a URI, and its longest one. */
const URI = /^https?:\/\/[^\s/]\S*$/;
const MAX_URI_BYTES = 8 * 1024;

/** The address of a link is the text of it, so it never leads to another host than it shows. */
export function findLinks(text: string): Link[] {
  return [...text.matchAll(URL_IN_TEXT)].flatMap((match) => {
    const { domain } = match.groups ?? {};
    if (domain === undefined ? !match[0].startsWith("http") : !TOP_LEVEL_DOMAIN.test(domain)) return [];
    const shown = trimEnd(match[0]);
    const uri = domain === undefined ? shown : `https://${shown}`;
    if (!URI.test(uri) || new TextEncoder().encode(uri).length > MAX_URI_BYTES) return [];
    return [{ start: match.index, end: match.index + shown.length, uri }];
  });
}

/** One sign of punctuation and one bracket that the link did not open belong to the sentence. */
function trimEnd(url: string): string {
  const trimmed = url.replace(/[.,;:!?]$/, "");
  return trimmed.endsWith(")") && !trimmed.includes("(") ? trimmed.slice(0, -1) : trimmed;
}

/** Shows each link by its host and the beginning of its path. */
export function shortenLinks(text: string): { text: string; links: Link[] } {
  let shown = "";
  let done = 0;
  const links = findLinks(text).map(({ start, end, uri }) => {
    shown += text.slice(done, start);
    const at = shown.length;
    shown += shortenUri(uri);
    done = end;
    return { start: at, end: shown.length, uri };
  });
  return { text: shown + text.slice(done), links };
}

const PATH_LENGTH = { whole: 15, cut: 13 } as const;

function shortenUri(uri: string): string {
  if (!URL.canParse(uri)) return uri;
  const { host, pathname, search, hash } = new URL(uri);
  const path = (pathname === "/" ? "" : pathname) + search + hash;
  return host + (path.length > PATH_LENGTH.whole ? `${path.slice(0, PATH_LENGTH.cut)}...` : path);
}
