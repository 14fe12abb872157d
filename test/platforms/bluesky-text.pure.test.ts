// Bluesky record keys, and the facets of a text.
import { describe, expect, test } from "vitest";
import { deriveRecordKey } from "../../lib/platforms/bluesky/record-key.ts";
import { buildText, findHandles } from "../../lib/platforms/bluesky/text.ts";

describe("bluesky record keys", () => {
  test("are stable per delivery and valid TIDs", async () => {
    const ids = ["0193a1b2-3c4d-7abc-8def-0123456789ab", "0193a1b2-3c4d-7abc-8def-0123456789ac", "delivery", ""];
    const keys = await Promise.all(ids.map(deriveRecordKey));
    expect(await Promise.all(ids.map(deriveRecordKey))).toEqual(keys);
    expect(new Set(keys).size).toBe(ids.length);
    for (const key of keys) expect(key).toMatch(/^[234567abcdefghij][234567abcdefghijklmnopqrstuvwxyz]{12}$/);
  });

  test("contain the timestamp of the delivery id", async () => {
    const key = await deriveRecordKey("0193a1b2-3c4d-7abc-8def-0123456789ab");
    const bits = [...key].reduce(
      (sum, sign) => sum * 32n + BigInt("234567abcdefghijklmnopqrstuvwxyz".indexOf(sign)),
      0n,
    );
    expect(Number((bits >> 10n) / 1000n)).toBe(0x0193a1b23c4d);
  });

  test("sort in the order of the deliveries", async () => {
    const earlier = await deriveRecordKey("0193a1b2-3c4d-7fff-8fff-ffffffffffff");
    const later = await deriveRecordKey("0193a1b2-3c4e-7000-8000-000000000000");
    expect(earlier < later).toBe(true);
  });
});

describe("bluesky facets", () => {
  const none = new Map<string, string>();
  const cut = (text: string, dids = none) =>
    buildText(text, dids).facets.map(({ index, features: [feature] }) => {
      const bytes = new TextEncoder().encode(text).slice(index.byteStart, index.byteEnd);
      return [new TextDecoder().decode(bytes), feature?.uri ?? feature?.tag ?? feature?.did];
    });

  test("are in UTF-8 bytes", () => {
    expect(buildText("👨‍👩‍👧 é #tag", none).facets[0]?.index).toEqual({
      byteStart: 18 + 1 + 2 + 1,
      byteEnd: 18 + 1 + 2 + 1 + 4,
    });
  });

  test.each([
    ["a link", "see https://example.com/a?b=1#c.", [["https://example.com/a?b=1#c", "https://example.com/a?b=1#c"]]],
    ["a link without scheme", "on example.com now", [["example.com", "https://example.com"]]],
    ["a link in brackets", "(https://a.de/x)", [["https://a.de/x", "https://a.de/x"]]],
    ["a link after other scripts", "日本 https://a.de 🇩🇪", [["https://a.de", "https://a.de"]]],
    ["an e-mail address", "mail me@example.com", []],
    ["a hashtag", "so #good!", [["#good", "good"]]],
    [
      "hashtags side by side",
      "#one #two\n#three",
      [
        ["#one", "one"],
        ["#two", "two"],
        ["#three", "three"],
      ],
    ],
    ["a hashtag with a full-width number sign", "＃日本語。", [["＃日本語", "日本語"]]],
    ["a number", "we are #1", []],
    ["a hashtag inside a word", "a#b", []],
    ["a keycap", "press #️⃣ now", []],
    ["a tag of 64 letters", `#${"a".repeat(64)}`, [[`#${"a".repeat(64)}`, "a".repeat(64)]]],
    ["a tag of 65 letters", `#${"a".repeat(65)}`, []],
    ["a mention of an unknown handle", "hi @unknown.example.com", []],
  ])("%s", (_what, text, expected) => {
    expect(cut(text)).toEqual(expected);
  });

  test("mark every mention of a known handle", () => {
    const dids = new Map([["ann.bsky.social", "did:plc:ann"]]);
    expect(cut("@Ann.bsky.social and (@ann.bsky.social), not me@ann.bsky.social", dids)).toEqual([
      ["@Ann.bsky.social", "did:plc:ann"],
      ["@ann.bsky.social", "did:plc:ann"],
    ]);
    expect(findHandles("@Ann.bsky.social @ann.bsky.social. @b.example.com @plain")).toEqual([
      "ann.bsky.social",
      "b.example.com",
    ]);
  });
});
