// Caption length in the unit of each network.
import { describe, expect, test } from "vitest";
import { getCapabilities } from "../../lib/platforms/capabilities.ts";
import { measureCaption, measureWithinLimit } from "../../lib/platforms/caption.ts";
import { PLATFORMS } from "../../lib/shared/platforms.ts";

describe("weighted characters (X)", () => {
  test.each([
    ["Latin letters, one each", "Hello, world", 12],
    ["umlauts and Cyrillic, one each", "Grüße Привет", 12],
    ["Chinese, two each", "你好", 4],
    ["Japanese and Korean, two each", "こんにちは한국", 14],
    ["a curly quote, one", "’", 1],
    ["an ellipsis sign, two", "…", 2],
    ["an emoji, two", "😀", 2],
    ["a family joined by ZWJ, two", "👨‍👩‍👧‍👦", 2],
    ["a profession younger than the official counter, two", "🧑‍🔧", 2],
    ["a handshake of two skin tones, two", "🫱🏽‍🫲🏻", 2],
    ["a flag, two", "🇩🇪", 2],
    ["a flag made by ZWJ, two", "🏳️‍🌈", 2],
    ["a flag made of tags, two", "🏴󠁧󠁢󠁥󠁮󠁧󠁿", 2],
    ["a keycap, two", "1️⃣", 2],
    ["two emoji in a row, four", "👍🏽👍🏽", 4],
    ["a letter with its accent apart, as one", "e\u0301", 1],
    ["a second accent that nothing composes with, on its own", "e\u0301\u0302", 2],
    ["Hangul written in parts, as one syllable", "\u1112\u1161\u11ab", 2],
    ["a short URL, 23", "https://a.de", 23],
    ["a long URL, 23", `https://example.com/${"a".repeat(300)}?b=1#c`, 23],
    ["a domain without scheme, 23", "example.com", 23],
    ["two URLs and the text between", "https://a.de and http://b.com/x", 51],
    ["a file name that is no domain, by its letters", "photo.jpeg", 10],
    ["line breaks, one each", "a\n\nb", 4],
    ["nothing", "", 0],
  ])("%s", (_what, text, length) => {
    expect(measureCaption(text, "weighted")).toBe(length);
  });

  test("280 is reached by 280 letters, 140 Chinese characters or 140 family emoji", () => {
    for (const text of ["a".repeat(280), "好".repeat(140), "👨‍👩‍👧‍👦".repeat(140)]) {
      expect(measureCaption(text, "weighted")).toBe(280);
    }
  });
});

describe("other units", () => {
  const family = "👨‍👩‍👧‍👦";
  test.each([
    ["utf16", family, 11],
    ["graphemes", family, 1],
    ["graphemes", "e\u0301🇩🇪好", 3],
    ["utf8_bytes", family, 25],
    ["utf8_bytes", "é好", 5],
  ] as const)("%s of %s is %i", (unit, text, length) => {
    expect(measureCaption(text, unit)).toBe(length);
  });
});

describe("edge cases", () => {
  test("every network has a known unit", () => {
    const units = PLATFORMS.map((platform) => [platform, getCapabilities(platform, "byo").caption.unit]);
    expect(Object.fromEntries(units)).toEqual({
      ...{ tiktok: "utf16", instagram: "utf16", pinterest: "utf16", linkedin: "utf16", facebook: "utf16" },
      ...{ bluesky: "graphemes", youtube: "utf8_bytes", threads: "emoji_as_bytes", twitter: "weighted" },
    });
  });

  test.each([
    ["a family joined by ZWJ", "👨‍👩‍👧‍👦", [11, 1, 25, 25, 2]],
    ["a thumb with a skin tone", "👍🏽", [4, 1, 8, 8, 2]],
    ["a heart by its selector", "❤️", [2, 1, 6, 6, 2]],
    ["a flag of two letters", "🇩🇪", [4, 1, 8, 8, 2]],
    ["two flags without a gap", "🇩🇪🇫🇷", [8, 2, 16, 16, 4]],
    ["a flag made by ZWJ", "🏳️‍🌈", [6, 1, 14, 14, 2]],
    ["a flag made of tags", "🏴󠁧󠁢󠁥󠁮󠁧󠁿", [14, 1, 28, 28, 2]],
    ["a keycap", "1️⃣", [3, 1, 7, 7, 2]],
    ["a letter with its accent apart", "e\u0301", [2, 1, 3, 2, 1]],
    ["zalgo: a letter under five marks", "Z\u0335\u0321\u034a\u034d\u0347", [6, 1, 11, 6, 6]],
    ["Thai with vowel and tone", "ที่", [3, 1, 9, 3, 3]],
    ["CJK", "日本語", [3, 3, 9, 3, 6]],
    ["CJK beyond 16 bits", "𠮷", [2, 1, 4, 1, 2]],
    ["Hangul in parts", "\u1112\u1161\u11ab", [3, 1, 9, 3, 2]],
    ["a URL", "https://example.com/a", [21, 21, 21, 21, 23]],
    ["Arabic with vowel signs", "مَرْحَبًا", [9, 5, 18, 9, 9]],
    ["Hebrew with points", "שָׁלוֹם", [7, 4, 14, 7, 7]],
    // X counts the right-to-left mark like CJK.
    ["Hebrew behind a mark of direction", "\u200fשלום", [5, 5, 11, 5, 6]],
    ["a letter beyond 16 bits", "𝒳", [2, 1, 4, 1, 2]],
    ["a line break of two signs", "a\r\nb", [4, 3, 4, 4, 4]],
  ] as const)("%s", (_what, text, lengths) => {
    const units = ["utf16", "graphemes", "utf8_bytes", "emoji_as_bytes", "weighted"] as const;
    expect(units.map((unit) => measureCaption(text, unit))).toEqual(lengths);
  });
});

describe("emoji as bytes (Threads)", () => {
  test.each([
    ["nothing", "", 0],
    ["letters of any script, one each", "Grüße, 日本", 9],
    ["white space, one each", "tab\tand\r\nline", 13],
    ["digits and signs that only could be emoji, one each", "123 #", 5],
    ["a letter beyond 16 bits, one", "𝒳", 1],
    ["an emoji, its bytes", "👍", 4],
    ["an emoji with a skin tone among letters", "ok 👍🏽", 11],
    ["a family with its joiners", "👨‍👩‍👧‍👦", 25],
    ["a flag", "🇫🇷", 8],
    ["a keycap", "1️⃣", 7],
    ["a sign made emoji by its selector", "❤️", 6],
  ])("%s", (_what, text, length) => {
    expect(measureCaption(text, "emoji_as_bytes")).toBe(length);
  });
});

describe("texts that may be too long", () => {
  const units = [
    ["weighted", 280],
    ["graphemes", 300],
    ["emoji_as_bytes", 500],
    ["utf16", 2_200],
    ["utf8_bytes", 5_000],
  ] as const;
  const pieces = ["a", " ", "好", "a.co,", "https://example.com/ä ", "日.", "👨‍👩‍👧‍👦", "e\u0301\u0302", "\r\n", "🇩🇪"];
  const texts = pieces.flatMap((piece) =>
    [1, 4_990, 5_000, 5_010, 63_206].map((length) => piece.repeat(Math.ceil(length / piece.length)).slice(0, length)),
  );
  // A head that fits, because links of any length count 23, and a domain name that the end of the head cuts.
  texts.push(`https://example.com/${"a".repeat(4_990)} ${"a.co,".repeat(9_000)}`);
  texts.push(`${"https://example.com/a ".repeat(12)}${" ".repeat(4_500)}https://${"a".repeat(60)}.example.com`);

  test.each(units)(
    "%s: exact up to 5,000 UTF-16 units and for whatever fits %i, else not more than it is",
    (unit, limit) => {
      for (const text of texts) {
        const whole = measureCaption(text, unit);
        const { length, isExact } = measureWithinLimit(text, unit, limit);
        if (isExact) expect(length).toBe(whole);
        else expect(length).toBeLessThanOrEqual(whole);
        expect(length > limit).toBe(whole > limit);
        if (text.length <= 5_000 || whole <= limit) expect(isExact).toBe(true);
      }
    },
  );

  test("another limit or text is measured for itself", () => {
    const text = "a".repeat(60_000);
    expect(measureWithinLimit(text, "weighted", 280)).toEqual({ length: 4_700, isExact: false });
    expect(measureWithinLimit(text, "weighted", 100_000)).toEqual({ length: 60_000, isExact: true });
    expect(measureWithinLimit("a", "weighted", 280)).toEqual({ length: 1, isExact: true });
  });
});
