// The text of a Bluesky post, and its facets by UTF-8 byte offsets: links, hashtags, cashtags and mentions.
import { at } from "../../shared/at.ts";
import { measureCaption } from "../caption.ts";
import type { Link } from "../links.ts";
import type { Content, Warning } from "../platform.ts";
import { fitCaption } from "../shown-caption.ts";
import { BLUESKY, capabilities } from "./rules.ts";

type Feature = { $type: string } & Record<string, string>;

export interface Facet {
  index: { byteStart: number; byteEnd: number };
  features: Feature[];
}

/** A facet by UTF-16 positions, the end exclusive. */
interface Mark {
  start: number;
  end: number;
  feature: Feature;
}

const LABEL = "[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?";
const HANDLE = new RegExp(`(?<=^|[\\s(])@((?:${LABEL}\\.)+[a-z](?:[a-z0-9-]{0,61}[a-z0-9])?)(?![\\w-]|\\.\\w)`, "gi");
// As TAG_REGEX and CASHTAG_REGEX of https://github.com/bluesky-social/atproto/blob/main/packages/api/src/rich-text/util.ts, read
// 2026-11-28: zero-width characters end a tag, and a variation selector after `#` (a keycap) does not start one.
const PART = "[^\\s\\u00AD\\u2060\\u200A-\\u200D\\u20e2]";
const LETTER = "[^\\d\\s\\p{P}\\u00AD\\u2060\\u200A-\\u200D\\u20e2]";
const TAG = new RegExp(`(?<=^|\\s)[#＃]((?!\\ufe0f)${PART}*${LETTER}+${PART}*)`, "gu");
const CASHTAG = /(?<=^|\s|\()\$([A-Za-z][A-Za-z0-9]{0,4})(?=\s|$|[.,;:!?)"'\u2019])/gu;
const TRAILING_PUNCTUATION = /\p{P}+$/u;

/** Returns the distinct handles in a text. */
export function findHandles(text: string): string[] {
  return [...new Set([...text.matchAll(HANDLE)].map(([, handle = ""]) => handle.toLowerCase()))];
}

/** `dids` maps resolved handles to DIDs; other mentions stay plain text. */
export function buildText(caption: string, dids: ReadonlyMap<string, string>): { text: string; facets: Facet[] } {
  const { text, links } = fitCaption(caption, capabilities.caption);
  const marks = [...links.map(toLinkMark), ...findTags(text), ...findCashtags(text), ...findMentions(text, dids)];
  const facets = marks
    .toSorted((a, b) => a.start - b.start)
    .map(({ start, end, feature }) => ({
      index: { byteStart: countBytesBefore(text, start), byteEnd: countBytesBefore(text, end) },
      features: [feature],
    }));
  return { text, facets };
}

function countBytesBefore(text: string, end: number): number {
  return measureCaption(text.slice(0, end), "utf8_bytes");
}

function toLinkMark({ start, end, uri }: Link): Mark {
  return { start, end, feature: { $type: "app.bsky.richtext.facet#link", uri } };
}

const TAG_FEATURE = "app.bsky.richtext.facet#tag";

function findTags(text: string): Mark[] {
  return [...text.matchAll(TAG)].flatMap((match) => {
    const tag = at(match, 1).replace(TRAILING_PUNCTUATION, "");
    const tooLong =
      measureCaption(tag, "graphemes") > BLUESKY.tagGraphemes || measureCaption(tag, "utf8_bytes") > BLUESKY.tagBytes;
    if (tag === "" || tooLong) return [];
    const end = match.index + 1 + tag.length;
    return [{ start: match.index, end, feature: { $type: TAG_FEATURE, tag } }];
  });
}

function findCashtags(text: string): Mark[] {
  return [...text.matchAll(CASHTAG)].map((match) => {
    const tag = match[0].toUpperCase();
    return { start: match.index, end: match.index + tag.length, feature: { $type: TAG_FEATURE, tag } };
  });
}

function findMentions(text: string, dids: ReadonlyMap<string, string>): Mark[] {
  return [...text.matchAll(HANDLE)].flatMap((match) => {
    const handle = at(match, 1);
    const did = dids.get(handle.toLowerCase());
    if (!did) return [];
    const end = match.index + 1 + handle.length;
    return [{ start: match.index, end, feature: { $type: "app.bsky.richtext.facet#mention", did } }];
  });
}

export function findWarnings({ caption }: Content): Warning[] {
  const { limit } = capabilities.caption;
  const { text } = fitCaption(caption, capabilities.caption);
  const message = `With its links in full the caption is over ${limit} characters, so Bluesky shows them shortened, as its app does: ${measureCaption(text, "graphemes")} of ${limit}. They lead to the whole addresses.`;
  const isShortened = text !== caption;
  return isShortened ? [{ path: "caption", code: "links_shortened", message, limit }] : [];
}
