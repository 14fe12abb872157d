// Links of Bluesky texts against the network's own library, which we did not write; and how long texts are shortened.
import { RichText } from "@atproto/api";
import { describe, expect, test } from "vitest";
import { bluesky } from "../../lib/platforms/bluesky/driver.ts";
import { capabilities } from "../../lib/platforms/bluesky/rules.ts";
import { buildText } from "../../lib/platforms/bluesky/text.ts";
import { measureCaption } from "../../lib/platforms/caption.ts";
import { findCardLink } from "../../lib/platforms/link-cards.ts";
import { measureShownCaption } from "../../lib/platforms/shown-caption.ts";
import { findLimitViolations } from "../../lib/platforms/violations.ts";
import type { PostLink } from "../../lib/shared/post-content.ts";
import { text } from "./content.ts";

const NONE = new Map<string, string>();
const bytes = (of: string) => new TextEncoder().encode(of);
const cut = (of: string, { byteStart, byteEnd }: { byteStart: number; byteEnd: number }) =>
  new TextDecoder().decode(bytes(of).slice(byteStart, byteEnd));

type Marked = [shown: string, target: unknown];

function detectOurs(caption: string): Marked[] {
  const { text: shown, facets } = buildText(caption, NONE);
  return facets.map(({ index, features: [feature] }) => [cut(shown, index), feature?.uri ?? feature?.tag]);
}

/** Mentions are resolved to accounts, which is tested elsewhere. */
function detectTheirs(caption: string): Marked[] {
  const rich = new RichText({ text: caption });
  rich.detectFacetsWithoutResolution();
  const facets = (rich.facets ?? []).toSorted((a, b) => a.index.byteStart - b.index.byteStart);
  return facets.flatMap(({ index, features: [feature] }): Marked[] => {
    const { uri, tag } = feature as { uri?: string; tag?: string };
    return uri || tag ? [[cut(caption, index), uri ?? tag]] : [];
  });
}

const CASES = [
  "https://ja.wikipedia.org/wiki/日本 end",
  "https://例え.jp/テスト",
  "https://example.com/😀",
  "https://example.com/?q={a}|b&x=1",
  "https://host.dev.internal/x",
  "host.dev.internal/x",
  "http://192.168.0.1/a and 192.168.0.1",
  "http://localhost:3000/a and localhost:3000",
  "http://[::1]:8080/a",
  "on example.com now, and (sub.example.co.uk/path).",
  "my-site.com and my_site.com",
  "https://my-site.com/a_b-c~d",
  "photo.jpeg and v1.2.3 and a.b",
  "https://user:secret@example.com/ and https://example.com@evil.example/",
  "https://example.com/a(b) (https://example.com/a) https://example.com/a).",
  "https://example.com/a?!, https://example.com/... ;",
  "me@example.com and mailto:me@example.com",
  "日本https://example.com 日本 https://example.com",
  "Example.COM and HTTPS://example.com and Https://example.com",
  "example.com:8080/x?y#z",
  "https://example.com\nhttps://example.org\texample.net",
  "example.comé and example.com-evil.org",
  "ftp://example.com and javascript:alert(1)",
  "//example.com and www.example.com",
  "#good! #1 #日本語。 ＃日本語 a#b #️⃣ # ## #a#b #_ #a1 #1a",
  "$AAPL and ($tsla), $TOOLONG $1 a$b $A. $btc’s",
  `#${"a".repeat(64)} #${"a".repeat(65)} #${"👨‍👩‍👧".repeat(10)}`,
];

describe("links", () => {
  test.each(CASES)("%j has the facets of @atproto/api", (caption) => {
    expect(detectOurs(caption)).toEqual(detectTheirs(caption));
  });

  test("texts put together at random have the facets of @atproto/api", () => {
    const parts = [
      ...[
        "https://",
        "http://",
        "example.com",
        "例え.jp",
        "a.b",
        ".internal",
        "/x",
        "日本",
        "😀",
        "{|}",
        "(",
        ")",
        ".",
        ",",
      ],
      ...[
        " ",
        "\n",
        "?q=1",
        "#tag",
        "$ABC",
        ":3000",
        "-",
        "_",
        "@",
        "é",
        "‘",
        "’",
        "co.uk",
        "192.168.0.1",
        "localhost",
        "!",
      ],
    ];
    // Numerical Recipes' linear congruential generator: the same texts in every run.
    let seed = 31;
    const next = (below: number) => {
      seed = (seed * 1_664_525 + 1_013_904_223) % 2 ** 32;
      return Math.floor((seed / 2 ** 32) * below);
    };
    let links = 0;
    for (let run = 0; run < 4_000; run++) {
      const caption = Array.from({ length: 1 + next(12) }, () => parts[next(parts.length)]).join("");
      // What is no URI makes the network refuse the whole post, so it stays text.
      const uris = detectTheirs(caption).filter(([, uri]) => !/^https?:\/\/(\/|$)/.test(String(uri)));
      expect(detectOurs(caption), JSON.stringify(caption)).toEqual(uris);
      for (const [shown, uri] of detectOurs(caption)) {
        if (!/^https?:/.test(String(uri)) || !URL.canParse(String(uri))) continue;
        links += 1;
        const address = /^https?:/.test(shown) ? shown : `https://${shown}`;
        expect(new URL(address).host).toBe(new URL(String(uri)).host);
      }
    }
    expect(links).toBeGreaterThan(500);
  });

  test("a domain that begins with http has a scheme, without which the network refuses the post", () => {
    expect(detectOurs("httpbin.org/get")).toEqual([["httpbin.org/get", "https://httpbin.org/get"]]);
    expect(detectOurs("https:// and https://) and http://.")).toEqual([]);
    expect(detectOurs(`https://example.com/${"a".repeat(8_200)}`)).toEqual([]);
  });
});

describe("texts that are too long with their links", () => {
  const LONG = `https://example.com/${"a".repeat(100)}`;
  const check = (caption: string) =>
    findLimitViolations(text(caption), capabilities, "Bluesky").map(({ code }) => code);
  const codes = (caption: string) => bluesky.warn?.(text(caption)).map(({ code }) => code);

  test("259 letters and an address of 120: the text shows the beginning of it, the link has all of it", () => {
    const caption = `${"x".repeat(259)} ${LONG}`;
    const built = buildText(caption, NONE);
    expect(built.text).toBe(`${"x".repeat(259)} example.com/aaaaaaaaaaaa...`);
    expect(detectOurs(caption)).toEqual([["example.com/aaaaaaaaaaaa...", LONG]]);
    expect(check(caption)).toEqual([]);
    expect(codes(caption)).toEqual(["links_shortened"]);
    expect(measureShownCaption(caption, capabilities.caption)).toEqual({ length: 287, isExact: true });
  });

  test.each([
    [`short ${LONG}`, `short ${LONG}`],
    [`${"x".repeat(290)} https://a.de/`, `${"x".repeat(290)} a.de`],
    [`${"x".repeat(280)} https://例え.jp/テスト`, `${"x".repeat(280)} https://例え.jp/テスト`],
    [`${"x".repeat(260)} (${LONG}).`, `${"x".repeat(260)} (example.com/aaaaaaaaaaaa...).`],
    [
      `${LONG} 日本 ${LONG} ${LONG}`,
      "example.com/aaaaaaaaaaaa... 日本 example.com/aaaaaaaaaaaa... example.com/aaaaaaaaaaaa...",
    ],
    [`${"x".repeat(280)} http://localhost:3000/abc`, `${"x".repeat(280)} localhost:3000/abc`],
    [
      `${"x".repeat(270)} https://user:pw@evil.example/abcdefghijklmnopqrstuvwxyz`,
      `${"x".repeat(270)} evil.example/abcdefghijkl...`,
    ],
  ])("%j is shown as %j", (caption, shown) => {
    const built = buildText(caption, NONE);
    expect(built.text).toBe(shown);
    expect(measureShownCaption(caption, capabilities.caption).length).toBe(measureCaption(shown, "graphemes"));
    for (const { index, features } of built.facets) {
      const address = cut(shown, index);
      const href = /^https?:/.test(address) ? address : `https://${address}`;
      expect(new URL(href).host).toBe(new URL(String(features[0]?.uri)).host);
    }
  });

  test("a text that is too long all the same is refused", () => {
    expect(check(`${"x".repeat(300)} ${LONG}`)).toEqual(["caption_too_long"]);
    expect(check("x".repeat(301))).toEqual(["caption_too_long"]);
    expect(codes("x".repeat(301))).toEqual([]);
  });
});

test.each<[string, PostLink | null, unknown, string | null]>([
  ["See https://example.com/a and https://example.com/b.", null, null, "https://example.com/b"],
  ["See example.com", null, null, "https://example.com"],
  ["No link", null, null, null],
  ["No link", { url: "https://example.com/given" }, null, "https://example.com/given"],
  ["See https://example.com/a", { url: null }, null, null],
  ["See https://example.com/a", null, { type: "slideshow" }, null],
])("%j with the link %j: the card is of %s", (caption, link, media, expected) => {
  expect(findCardLink({ caption, link, media })?.url ?? null).toBe(expected);
});
