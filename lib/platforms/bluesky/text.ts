// Facets of a Bluesky text: links, hashtags and mentions, by UTF-8 byte offsets.
import extractUrlsWithIndices from "@ambassify/twitter-text/dist/extractUrlsWithIndices.js";
import { at } from "../../shared/at.ts";
import { measureCaption } from "../caption.ts";
import { BLUESKY } from "./rules.ts";

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
/** Zero-width characters end a tag; a variation selector after `#` (a keycap) does not start one. */
const TAG = /(?<=^|\s)[#＃]((?!\ufe0f)(?:(?!\u20e2)[^\s\u00ad\u2060\u200b-\u200d])+)/gu;
const TRAILING_PUNCTUATION = /\p{P}+$/u;
const ONLY_DIGITS_AND_SIGNS = /^[\d\p{P}]*$/u;

/** Returns the distinct handles in a text. */
export function findHandles(text: string): string[] {
  return [...new Set([...text.matchAll(HANDLE)].map(([, handle = ""]) => handle.toLowerCase()))];
}

/** `dids` maps resolved handles to DIDs; other mentions stay plain text. */
export function buildFacets(text: string, dids: ReadonlyMap<string, string>): Facet[] {
  return [...findLinks(text), ...findTags(text), ...findMentions(text, dids)]
    .toSorted((a, b) => a.start - b.start)
    .map(({ start, end, feature }) => ({
      index: { byteStart: countBytesBefore(text, start), byteEnd: countBytesBefore(text, end) },
      features: [feature],
    }));
}

function countBytesBefore(text: string, end: number): number {
  return measureCaption(text.slice(0, end), "utf8_bytes");
}

function findLinks(text: string): Mark[] {
  return extractUrlsWithIndices(text).map(({ url, indices: [start, end] }) => {
    const uri = /^https?:\/\//i.test(url) ? url : `https://${url}`;
    return { start, end, feature: { $type: "app.bsky.richtext.facet#link", uri } };
  });
}

function findTags(text: string): Mark[] {
  return [...text.matchAll(TAG)].flatMap((match) => {
    const tag = at(match, 1).replace(TRAILING_PUNCTUATION, "");
    const tooLong =
      measureCaption(tag, "graphemes") > BLUESKY.tagGraphemes || measureCaption(tag, "utf8_bytes") > BLUESKY.tagBytes;
    if (ONLY_DIGITS_AND_SIGNS.test(tag) || tooLong) return [];
    const end = match.index + 1 + tag.length;
    return [{ start: match.index, end, feature: { $type: "app.bsky.richtext.facet#tag", tag } }];
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
