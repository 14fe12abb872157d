// The font files and their index: what it promises is in the files, and a text gets the files that it needs.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { readIndex, writeIndex } from "../../lib/drawing/font-index.ts";
import { openFontStore } from "../../lib/drawing/font-store.ts";
import { typeset } from "../../lib/drawing/text.ts";
import { characters } from "../check/woff2.ts";
import { FONTS } from "./fonts.ts";

const FOLDER = join(import.meta.dirname, "../../.fonts");
const store = openFontStore(FONTS);
const index = await store.index();

const filesFor = (content: string) => typeset([content], index).faces.map(({ file }) => file);

describe("the index", () => {
  test("comes back as it was written", () => {
    const files = [
      { name: "a", characters: [0x41, 0x42, 0x43, 0x61, 0x1f525] },
      { name: "b", characters: [0x43, 0x44, 0x62] },
    ];
    const read = readIndex(writeIndex([{ family: "F", files }]));
    const found = [...Array(0x70).keys(), 0x1f525, 0x1f526].map((code) => [code, read.find("F", code)?.file ?? null]);
    // Where both have one, the first serves.
    const wanted = { 65: "a", 66: "a", 67: "a", 68: "b", 97: "a", 98: "b", 128293: "a" };
    expect(Object.fromEntries(found.filter(([, file]) => file !== null))).toEqual(wanted);
    expect(read.find("G", 0x41)).toBeNull();
  });

  test("names a file of the folder for each character, and that file has it", () => {
    const have = new Map<string, Set<number>>();
    for (const file of readdirSync(FOLDER).filter((name) => name.endsWith(".woff2"))) {
      have.set(file, new Set(characters(readFileSync(join(FOLDER, file)))));
    }
    expect(have.size).toBeGreaterThan(300);
    const samples = {
      Inter: "Aàя",
      "Noto Sans JP": "あ漢",
      "Noto Sans KR": "한漢",
      "Noto Sans SC": "汉",
      "Noto Sans Symbols": "⌂",
      "Noto Sans Symbols 2": "✗➜☐",
      Twemoji: "🔥",
    };
    expect(index.families).toEqual(Object.keys(samples));
    for (const [family, text] of Object.entries(samples)) {
      for (let code = 0x20; code < 0x1fb00; code++) {
        const face = index.find(family, code);
        if (face && !have.get(face.file)?.has(code)) throw new Error(`${face.file} lacks U+${code.toString(16)}`);
      }
      for (const one of text) expect(index.find(family, one.codePointAt(0) ?? 0), `${family} ${one}`).not.toBeNull();
    }
  });
});

describe("a text gets the files that it needs and no others", () => {
  test.each([
    ["Hello, world! 100 %", [/^inter-latin-700/]],
    ["Zażółć", [/^inter-latin-7/, /^inter-latin-ext/]],
    ["Привет", [/^inter-cyrillic-7/]],
    ["🔥", [/^twemoji/]],
    ["✗ ➜ ☐", [/^inter-latin-7/, /^noto-sans-symbols-2-symbols/]],
    ["  \n ", []],
  ])("%j", (content, wanted) => {
    const files = filesFor(content);
    expect(files).toHaveLength(wanted.length);
    for (const pattern of wanted) expect(files.some((file) => pattern.test(file))).toBe(true);
  });

  test("Han characters come from the font of the language that the rest of the slide is in", () => {
    expect(filesFor("漢字").every((file) => file.startsWith("noto-sans-sc"))).toBe(true);
    expect(filesFor("漢字かな").every((file) => file.startsWith("noto-sans-jp"))).toBe(true);
    expect(filesFor("漢字 한글").filter((file) => !file.startsWith("inter"))).toSatisfy((files: string[]) =>
      files.every((file) => file.startsWith("noto-sans-kr")),
    );
    expect(typeset(["漢字", "かな"], index).language).toBe("ja");
  });

  test("a few files of some ten kilobytes for a sentence, not the whole of a script", async () => {
    const faces = await store.load(typeset(["今天天气很好，我们去公园散步吧。"], index).faces);
    const bytes = faces.reduce((sum, { data }) => sum + data.length, 0);
    expect(faces.length).toBeLessThan(12);
    expect(bytes).toBeLessThan(400_000);
  });
});

describe("a text is cleaned before it is drawn", () => {
  test.each([
    ["a\r\nb\rc\u2028d", "a\nb\nc\nd"],
    ["\t tab\tand  spaces ", "tab and  spaces"],
    ["zero\u200bwidth\u2060\ufeff \u00adhyphen", "zerowidth hyphen"],
    ["\u202eright to left\u202c", "right to left"],
    ["e\u0301", "é"],
    ["①⑤ ™ ½", "①⑤ ™ ½"],
    ["❤\ufe0f ✂\ufe0e", "❤\ufe0f ✂"],
    ["👨‍👩‍👧", "👨‍👩‍👧"],
    ["\u{1f3f4}\u{e0067}\u{e0062}\u{e0065}\u{e006e}\u{e0067}\u{e007f}", "🏴󠁧󠁢󠁥󠁮󠁧󠁿"],
  ])("%j", (content, wanted) => {
    const { texts, missing } = typeset([content], index);
    expect([texts, missing]).toEqual([[wanted], []]);
  });
});

test("a file that is not there is an error that says what to run", async () => {
  const nothing = openFontStore({ fetch: async () => new Response(null, { status: 404 }) });
  await expect(nothing.index()).rejects.toThrow(/index\.json is not there: HTTP 404\. Run npm run fonts\./);
});
