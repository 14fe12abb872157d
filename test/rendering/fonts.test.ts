// The font files and their index: the index matches the files, and a text gets the files that it needs.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { readCharacters } from "../../functions/build/font-characters.ts";
import { readFontIndex, writeFontIndex } from "../../lib/rendering/font-index.ts";
import { selectFonts } from "../../lib/rendering/font-selection.ts";
import { openFontStore } from "../../lib/rendering/font-store.ts";
import { FONTS } from "./fonts.ts";

const FOLDER = join(import.meta.dirname, "../../.fonts");
const store = openFontStore(FONTS);
const index = await store.index();

const selectFontFiles = (content: string) => selectFonts([content], index).faces.map(({ file }) => file);

describe("font index", () => {
  test("is read as it was written", () => {
    const files = [
      { name: "a", characters: [0x41, 0x42, 0x43, 0x61, 0x1f525] },
      { name: "b", characters: [0x43, 0x44, 0x62] },
    ];
    const read = readFontIndex(writeFontIndex([{ family: "F", files }]));
    const found = [...Array(0x70).keys(), 0x1f525, 0x1f526].map((code) => [
      code,
      read.findFace("F", code)?.file ?? null,
    ]);
    // The first file is used for a character that both have.
    const wanted = { 65: "a", 66: "a", 67: "a", 68: "b", 97: "a", 98: "b", 128293: "a" };
    expect(Object.fromEntries(found.filter(([, file]) => file !== null))).toEqual(wanted);
    const together = [
      [0x41, 0x43],
      [0x43, 0x44],
      [0x41, 0x62],
    ].map((codes) => read.findFace("F", ...codes)?.file);
    expect(together).toEqual(["a", "b", undefined]);
    expect(read.findFace("G", 0x41)).toBeNull();
  });

  test("maps each character to a file that contains it", () => {
    const have = new Map<string, Set<number>>();
    for (const file of readdirSync(FOLDER).filter((name) => name.endsWith(".woff2"))) {
      have.set(file, new Set(readCharacters(readFileSync(join(FOLDER, file)))));
    }
    expect(have.size).toBeGreaterThan(300);
    const samples = {
      Inter: "Aàя",
      "Noto Sans": "ʜᴇ",
      "Noto Sans JP": "あ漢",
      "Noto Sans KR": "한漢",
      "Noto Sans SC": "汉",
      "Noto Sans TC": "漢",
      "Anek Bangla": "ক",
      "Noto Sans Arabic": "مپ",
      "Noto Sans Hebrew": "ש",
      "Noto Sans Devanagari": "न",
      "Noto Sans Tamil": "த",
      "Noto Sans Thai": "ส",
      "Noto Sans Georgian": "ა",
      "Noto Sans Armenian": "Բ",
      "Noto Sans Ethiopic": "ሰ",
      "Noto Sans Gujarati": "ક",
      "Noto Sans Gurmukhi": "ਕ",
      "Noto Sans Kannada": "ಕ",
      "Noto Sans Khmer": "ក",
      "Noto Sans Lao": "ກ",
      "Noto Sans Malayalam": "ക",
      "Noto Sans Myanmar": "က",
      "Noto Sans Oriya": "କ",
      "Noto Sans Sinhala": "ක",
      "Noto Sans Telugu": "క",
      "Noto Sans Symbols": "⌂",
      "Noto Sans Symbols 2": "✗➜☐",
      "DejaVu Sans": "‿‣‽",
      "Noto Sans Math": "⟡⊹",
      Twemoji: "🔥",
    };
    expect(index.families).toEqual(Object.keys(samples));
    for (const [family, text] of Object.entries(samples)) {
      for (let code = 0x20; code < 0x1fb00; code++) {
        const face = index.findFace(family, code);
        if (face && !have.get(face.file)?.has(code)) throw new Error(`${face.file} lacks U+${code.toString(16)}`);
      }
      for (const one of text)
        expect(index.findFace(family, one.codePointAt(0) ?? 0), `${family} ${one}`).not.toBeNull();
    }
  });
});

describe("font files of a text", () => {
  test.each([
    ["Hello, world! 100 %", [/^inter-latin-700/]],
    ["Zażółć", [/^inter-latin-7/, /^inter-latin-ext/]],
    ["Привет", [/^inter-cyrillic-7/]],
    ["🔥", [/^twemoji/]],
    ["✗ ➜ ☐", [/^inter-latin-7/, /^noto-sans-symbols-2-symbols/]],
    ["  \n ", []],
  ])("%j", (content, wanted) => {
    const files = selectFontFiles(content);
    expect(files).toHaveLength(wanted.length);
    for (const pattern of wanted) expect(files.some((file) => pattern.test(file))).toBe(true);
  });

  test("Han characters use the font of the slide's language", () => {
    expect(selectFontFiles("汉字").every((file) => file.startsWith("noto-sans-sc"))).toBe(true);
    expect(selectFontFiles("這個國家").every((file) => file.startsWith("noto-sans-tc"))).toBe(true);
    expect(selectFonts(["天氣很好,我們去公園"], index).language).toBe("zh-Hant");
    expect(selectFonts(["天气很好,我们去公园"], index).language).toBe("zh-Hans");
    expect(selectFontFiles("漢字かな").every((file) => file.startsWith("noto-sans-jp"))).toBe(true);
    expect(selectFontFiles("漢字 한글").filter((file) => !file.startsWith("inter"))).toSatisfy((files: string[]) =>
      files.every((file) => file.startsWith("noto-sans-kr")),
    );
    expect(selectFonts(["漢字", "かな"], index).language).toBe("ja");
  });

  test("a sentence loads a few small files, not a whole script", async () => {
    const faces = await store.load(selectFonts(["今天天气很好，我们去公园散步吧。"], index).faces);
    const bytes = faces.reduce((sum, { data }) => sum + data.length, 0);
    expect(faces.length).toBeLessThan(12);
    expect(bytes).toBeLessThan(400_000);
  });
});

describe("a letter and its marks", () => {
  const selectGrapheme = (content: string) => selectFonts([content], index);

  test.each(["ọ́", "ą́", "ė́", "ẹ̀", "g̃", "שָׁ", "مَّ", "क्ष", "ก็", "か゚", "ﾊﾞ", "A⃝", "1⃣", "1\ufe0e⃣", "👍🏽", "ế"])(
    "%s comes from one file, among others too",
    (content) => {
      for (const text of [content, `a я ą ọ あ 漢 ☐ 🔥 ${content}`]) {
        const { faces, texts, missing } = selectGrapheme(text);
        const characters = [...(texts[0] ?? "").split(" ").slice(-1).join("")].map((one) => one.codePointAt(0) ?? 0);
        const has = ({ ranges }: (typeof faces)[number], code: number) =>
          ranges.some(([from, to]) => from <= code && code <= to);
        expect(missing).toEqual([]);
        expect(faces.some((face) => characters.every((code) => has(face, code)))).toBe(true);
      }
    },
  );

  test.each(["a⃣", "क̃", "가̇", "漢̇", "き̣", "😀̈", "👍́"])("%s is missing, because no file has all of it", (content) => {
    expect(selectGrapheme(`ok ${content}`)).toMatchObject({ texts: ["ok "], missing: [content] });
  });

  test("the dotted i of lower-cased Turkish is an i", () => {
    expect(selectGrapheme("i̇stanbul gi̇bi̇ İ")).toMatchObject({ texts: ["istanbul gibi İ"], missing: [] });
  });
});

describe("text normalization", () => {
  test.each([
    ["a\r\nb\rc\u2028d", "a\nb\nc\nd"],
    ["Title line\u000bsoft break\u000cpage\u0085next", "Title line\nsoft break\npage\nnext"],
    ["\t tab\tand  spaces ", "tab and  spaces"],
    ["zero\u200bwidth\u2060\ufeff \u00adhyphen", "zerowidth \u00adhyphen"],
    ["\u202eright to left\u202c", "right to left"],
    ["e\u0301", "é"],
    ["①⑤ ™ ½", "①⑤ ™ ½"],
    ["❤\ufe0f ✂\ufe0e", "❤\ufe0f ✂"],
    ["می\u200cخواهم", "می\u200cخواهم"],
    ["क्\u200dष", "क्\u200dष"],
    ["20 \u20c1 and \u20c0", "20 SAR and \u20c0"],
    ["✔\ufe0f ™\ufe0f", "✔ ™"],
    ["🏳\ufe0f\u200d🌈 🇩🇪", "🏳\ufe0f\u200d🌈 🇩🇪"],
    ["👨‍👩‍👧", "👨‍👩‍👧"],
    ["J̌ ы̀ приве́т о̄ р̌ ү̄ ε̄ n̂", "J̌ ы̀ приве́т о̄ р̌ ү̄ ε̄ n̂"],
    ["(◕‿◕) ( ͡° ͜ʖ ͡°) ⊹ ⟡ ⟶ ‣ ⁃ ‽ s̶t̶r̶i̶k̶e̶", "(◕‿◕) ( ͡° ͜ʖ ͡°) ⊹ ⟡ ⟶ ‣ ⁃ ‽ s̶t̶r̶i̶k̶e̶"],
    ["hello 🙂\u200d", "hello 🙂"],
    ["👩\u200d\ufe0f ok ❤\ufe0f\u200d", "👩 ok ❤\ufe0f"],
    ["👩\u200d\u200d💻", "👩\u200d💻"],
    ["1\u20e3 2\ufe0e\u20e3", "1\ufe0f\u20e3 2\ufe0f\u20e3"],
    ["🕵\u200d♂ 🏳\u200d⚧\ufe0f", "🕵\ufe0f\u200d♂\ufe0f 🏳\ufe0f\u200d⚧\ufe0f"],
    ["\u{1f3f4}\u{e0067}\u{e0062}\u{e0065}\u{e006e}\u{e0067}\u{e007f}", "🏴󠁧󠁢󠁥󠁮󠁧󠁿"],
  ])("%j", (content, wanted) => {
    const { texts, missing } = selectFonts([content], index);
    expect([texts, missing]).toEqual([[wanted], []]);
  });
});

test("a font of symbols serves only the symbols that no emoji is meant by", () => {
  const { faces } = selectFonts(["☐ coffee ☕ ⚡ ⭐ ✗ ⚡\ufe0e"], index);
  const symbols = faces.filter(({ family }) => family.startsWith("Noto Sans Symbols"));
  expect(symbols.flatMap(({ ranges }) => ranges).sort(([a], [b]) => a - b)).toEqual([
    [0x2610, 0x2610],
    [0x26a1, 0x26a1],
    [0x2717, 0x2717],
  ]);
  expect(faces.some(({ family }) => family === "Twemoji")).toBe(true);
});

test("a rare letter with a mark does not take the plain letters from their font", () => {
  const { faces } = selectFonts(["n̂ is not n, ы̀ is not ы"], index);
  const ranges = faces.find(({ family }) => family === "DejaVu Sans")?.ranges.map(([from]) => from);
  expect(ranges).toEqual([0x6e, 0x300, 0x302, 0x44b]);
  expect(faces.map(({ family }) => family).filter((family) => family === "Inter")).toHaveLength(2);
});

test("a missing file is an error that says what to run", async () => {
  const nothing = openFontStore({ fetch: async () => new Response(null, { status: 404 }) });
  await expect(nothing.index()).rejects.toThrow(
    /index\.json is missing: HTTP 404\. Run npx node functions\/build\/fonts\.ts\./,
  );
});
