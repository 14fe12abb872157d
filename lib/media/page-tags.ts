// Title, description and picture of an HTML page, from its Open Graph tags or what takes their place.

export interface PageTags {
  title: string | null;
  description: string | null;
  imageUrl: string | null;
}

/** By preference; names as in `property` or `name` of a `meta` tag. https://ogp.me, read 2026-11-28. */
const NAMES = {
  title: ["og:title", "twitter:title"],
  description: ["og:description", "twitter:description", "description"],
  imageUrl: ["og:image:secure_url", "og:image", "og:image:url", "twitter:image", "twitter:image:src", "image_src"],
} as const;

/** More than any network shows. */
const MAX_LENGTH = { title: 300, description: 1_000 } as const;

/** `contentType` is the header of the response, `url` the address after redirects. */
export function readPageTags(bytes: Uint8Array, contentType: string, url: string): PageTags {
  const tags = new Map<string, string>();
  const keep = (name: string | undefined, value: string | undefined) => {
    const key = name?.trim().toLowerCase() ?? "";
    if (key && value?.trim() && !tags.has(key)) tags.set(key, value);
  };
  let base = url;
  for (const { name, attributes, text } of listTags(decodePage(bytes, contentType))) {
    const { property, name: named, content, rel, href } = attributes;
    if (name === "meta") keep(property ?? named, content);
    if (name === "title") keep("title", text);
    if (name === "link" && rel?.toLowerCase() === "image_src") keep("image_src", href);
    if (name === "base" && href && base === url && URL.canParse(href, url)) base = new URL(href, url).href;
  }
  const find = (names: readonly string[]) => names.map((name) => tags.get(name)).find((value) => value !== undefined);
  const image = find(NAMES.imageUrl)?.trim();
  return {
    title: toLine(find(NAMES.title) ?? tags.get("title"), MAX_LENGTH.title),
    description: toLine(find(NAMES.description), MAX_LENGTH.description),
    imageUrl: image && URL.canParse(image, base) ? toWebAddress(new URL(image, base)) : null,
  };
}

interface Tag {
  name: string;
  attributes: Record<string, string>;
  /** Of a title. */
  text: string;
}

/** What is no markup, or has tags of its own with these names; then the beginning of a tag that a card is made of. */
const START =
  /<!--[\s\S]*?(?:-->|$)|<(script|style|svg|template|noscript)\b[\s\S]*?(?:<\/\1\s*>|$)|<(meta|link|base|title)(?=[\s/>])/gi;
const ATTRIBUTE = /([^\s"'<>/=]+)(?:\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'=<>`]+)))?/g;
/** Of a tag, and of a title: longer ones are none, and end the search, so that no page takes long. */
const MAX_TAG_LENGTH = 8_192;

/**
 * Four kinds of tags and no tree: htmlparser2 does the same in 59 KiB of gzip, of which the main Worker has 13 left, and
 * HTMLRewriter, which Workers have, decodes no entities.
 */
function* listTags(html: string): Generator<Tag> {
  for (const match of html.matchAll(START)) {
    const name = match[2]?.toLowerCase();
    if (name === undefined) continue;
    const from = match.index + match[0].length;
    const end = findTagEnd(html, from);
    if (end === null) return;
    const attributes: Record<string, string> = {};
    for (const [, key = "", double, single, bare] of html.slice(from, end).matchAll(ATTRIBUTE)) {
      attributes[key.toLowerCase()] ??= decodeEntities(double ?? single ?? bare ?? "");
    }
    const [text = ""] = name === "title" ? html.slice(end + 1, end + MAX_TAG_LENGTH).split("<", 1) : [];
    yield { name, attributes, text: decodeEntities(text) };
  }
}

/** Where the tag closes, outside of quotes. */
function findTagEnd(html: string, from: number): number | null {
  let quote = "";
  for (let at = from; at < Math.min(html.length, from + MAX_TAG_LENGTH); at++) {
    const char = html.charAt(at);
    if (quote) quote = char === quote ? "" : quote;
    else if (char === ">") return at;
    else if (char === '"' || char === "'") quote = char;
  }
  return null;
}

/** The names of U+00A0 to U+00FF, in order, and those of the signs that titles have: https://html.spec.whatwg.org/#named-character-references. */
const LATIN =
  "nbsp iexcl cent pound curren yen brvbar sect uml copy ordf laquo not shy reg macr deg plusmn sup2 sup3 acute micro para middot cedil sup1 ordm raquo frac14 frac12 frac34 iquest Agrave Aacute Acirc Atilde Auml Aring AElig Ccedil Egrave Eacute Ecirc Euml Igrave Iacute Icirc Iuml ETH Ntilde Ograve Oacute Ocirc Otilde Ouml times Oslash Ugrave Uacute Ucirc Uuml Yacute THORN szlig agrave aacute acirc atilde auml aring aelig ccedil egrave eacute ecirc euml igrave iacute icirc iuml eth ntilde ograve oacute ocirc otilde ouml divide oslash ugrave uacute ucirc uuml yacute thorn yuml";
const NAMED = new Map<string, string>([
  ...LATIN.split(" ").map((name, at): [string, string] => [name, String.fromCharCode(0xa0 + at)]),
  ...Object.entries({ amp: "&", lt: "<", gt: ">", quot: '"', apos: "'", ndash: "–", mdash: "—", hellip: "…" }),
  ...Object.entries({ lsquo: "‘", rsquo: "’", sbquo: "‚", ldquo: "“", rdquo: "”", bdquo: "„", bull: "•" }),
  ...Object.entries({ lsaquo: "‹", rsaquo: "›", euro: "€", trade: "™", rarr: "→", larr: "←", minus: "−" }),
  ...Object.entries({ OElig: "Œ", oelig: "œ", Scaron: "Š", scaron: "š", ensp: " ", emsp: " ", thinsp: " " }),
]);

/** A reference that is not known stays as it is. */
function decodeEntities(text: string): string {
  return text.replace(/&(?:#(\d{1,7})|#x([\da-f]{1,6})|([a-z][a-z\d]{1,31}));?/gi, (whole, decimal, hex, name) => {
    if (name !== undefined) return NAMED.get(name) ?? whole;
    const code = decimal === undefined ? Number.parseInt(hex, 16) : Number(decimal);
    // Numbers of control characters are those of Windows: https://html.spec.whatwg.org/#numeric-character-reference-end-state
    if (code > 0x7f && code < 0xa0) return new TextDecoder("windows-1252").decode(Uint8Array.of(code));
    return code > 0 && code <= 0x10ffff ? String.fromCodePoint(code) : whole;
  });
}

const toWebAddress = (url: URL): string | null => (/^https?:$/.test(url.protocol) ? url.href : null);

function toLine(text: string | undefined, maxLength: number): string | null {
  const line = (text ?? "").toWellFormed().replaceAll("\0", "").replace(/\s+/gu, " ").trim();
  return line === "" ? null : [...line].slice(0, maxLength).join("");
}

const BYTE_ORDER_MARKS: readonly (readonly [readonly number[], string])[] = [
  [[0xef, 0xbb, 0xbf], "utf-8"],
  [[0xfe, 0xff], "utf-16be"],
  [[0xff, 0xfe], "utf-16le"],
];

/** Where browsers look for the declaration: https://html.spec.whatwg.org/#prescan-a-byte-stream-to-determine-its-encoding. */
const PRESCANNED_BYTES = 1024;

/** By the byte order mark, the header, the page's own declaration; else UTF-8, or what old pages without a word are in. */
function decodePage(bytes: Uint8Array, contentType: string): string {
  const [, marked] = BYTE_ORDER_MARKS.find(([mark]) => mark.every((byte, at) => bytes[at] === byte)) ?? [];
  const head = new TextDecoder("latin1").decode(bytes.subarray(0, PRESCANNED_BYTES));
  const [, named] =
    /charset\s*=\s*["']?([\w-]+)/i.exec(contentType) ?? /<meta[^>]*charset\s*=\s*["']?([\w-]+)/i.exec(head) ?? [];
  const label = marked ?? named;
  const decoder = label === undefined ? null : openDecoder(label);
  if (decoder) return decoder.decode(bytes);
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: false }).decode(bytes, { stream: true });
  } catch {
    return new TextDecoder("windows-1252").decode(bytes);
  }
}

function openDecoder(label: string): TextDecoder | null {
  try {
    return new TextDecoder(label);
  } catch {
    return null;
  }
}
