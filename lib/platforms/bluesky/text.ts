// What is marked in a Bluesky text: links, hashtags and mentions, by their place in UTF-8 bytes.
import extractUrlsWithIndices from "@ambassify/twitter-text/dist/extractUrlsWithIndices.js";
import { captionLength } from "../caption.ts";
import { BLUESKY } from "./rules.ts";

type Feature = { $type: string } & Record<string, string>;

export interface Facet {
  index: { byteStart: number; byteEnd: number };
  features: Feature[];
}

/** Marks of a text by UTF-16 positions, the end exclusive. */
interface Mark {
  start: number;
  end: number;
  feature: Feature;
}

const LABEL = "[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?";
const HANDLE = new RegExp(`(?<=^|[\\s(])@((?:${LABEL}\\.)+[a-z](?:[a-z0-9-]{0,61}[a-z0-9])?)(?![\\w-]|\\.\\w)`, "gi");
/** A sign that joins or hides ends a tag; the selector that makes `#` a keycap is no tag's first letter. */
const TAG = /(?<=^|\s)[#＃]((?!\ufe0f)(?:(?!\u20e2)[^\s\u00ad\u2060\u200b-\u200d])+)/gu;
const TRAILING_PUNCTUATION = /\p{P}+$/u;
const ONLY_DIGITS_AND_SIGNS = /^[\d\p{P}]*$/u;

/** The handles that a text names, each once. */
export function handlesIn(text: string): string[] {
  return [...new Set([...text.matchAll(HANDLE)].map(([, handle = ""]) => handle.toLowerCase()))];
}

/** `dids` knows the handles that exist; a mention of any other stays plain text. */
export function facetsOf(text: string, dids: ReadonlyMap<string, string>): Facet[] {
  return [...links(text), ...tags(text), ...mentions(text, dids)]
    .toSorted((a, b) => a.start - b.start)
    .map(({ start, end, feature }) => ({
      index: { byteStart: bytesBefore(text, start), byteEnd: bytesBefore(text, end) },
      features: [feature],
    }));
}

function bytesBefore(text: string, at: number): number {
  return captionLength(text.slice(0, at), "utf8_bytes");
}

function links(text: string): Mark[] {
  return extractUrlsWithIndices(text).map(({ url, indices: [start, end] }) => {
    const uri = /^https?:\/\//i.test(url) ? url : `https://${url}`;
    return { start, end, feature: { $type: "app.bsky.richtext.facet#link", uri } };
  });
}

function tags(text: string): Mark[] {
  return [...text.matchAll(TAG)].flatMap((match) => {
    const tag = (match[1] ?? "").replace(TRAILING_PUNCTUATION, "");
    const tooLong =
      captionLength(tag, "graphemes") > BLUESKY.tagGraphemes || captionLength(tag, "utf8_bytes") > BLUESKY.tagBytes;
    if (ONLY_DIGITS_AND_SIGNS.test(tag) || tooLong) return [];
    const end = match.index + 1 + tag.length;
    return [{ start: match.index, end, feature: { $type: "app.bsky.richtext.facet#tag", tag } }];
  });
}

function mentions(text: string, dids: ReadonlyMap<string, string>): Mark[] {
  return [...text.matchAll(HANDLE)].flatMap((match) => {
    const handle = match[1] ?? "";
    const did = dids.get(handle.toLowerCase());
    if (!did) return [];
    const end = match.index + 1 + handle.length;
    return [{ start: match.index, end, feature: { $type: "app.bsky.richtext.facet#mention", did } }];
  });
}
