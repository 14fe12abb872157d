// Texts on slides: emoji, scripts, characters without a glyph.
import { describe, expect, test } from "vitest";
import { splitGraphemes } from "../../lib/rendering/line-breaks.ts";
import { BLUE, WHITE, YELLOW } from "./test-images.ts";
import { buildSlide, buildText } from "./test-renderer.ts";
import { CELL, GREY, renderCells, renderFailing, renderText, renderTexts, SETTINGS } from "./text-renderer.ts";

describe("emoji and scripts", () => {
  test("emoji are in colour with every style", async () => {
    const image = await renderText("🔥", { style_preset: "black" });
    // Twemoji's flame: orange outside, yellow inside.
    expect(image.find([244, 144, 12]).count).toBeGreaterThan(1_000);
    expect(image.find([255, 204, 77]).count).toBeGreaterThan(500);
  });

  test("a family, a flag and a skin tone are one emoji each, of the usual width", async () => {
    const box = { background_color: "#1e3cc8", text_color: "#1e3cc8", border_radius: 0 };
    const contents = ["🔥", "👨‍👩‍👧‍👦", "🇩🇪", "👍🏽", "1️⃣", "❤️"];
    const [single = 0, ...others] = (await renderCells(contents, box)).map((cell) => {
      const { left, right } = cell.find(BLUE);
      return right - left;
    });
    expect(single).toBeGreaterThan(90);
    expect(others).toHaveLength(5);
    for (const [at, width] of others.entries()) expect(Math.abs(width - single), contents[at + 1]).toBeLessThan(4);
  });

  test("joined emoji without variation selectors are the same pictures as with them", async () => {
    const qualified = ["🕵️‍♂️", "🏋️‍♀️", "⛹️‍♀️", "🏌️‍♂️", "👁️‍🗨️", "🏳️‍⚧️", "🏳️‍🌈", "❤️‍🔥", "1️⃣", "🧔‍♂️"];
    const plain = qualified.map((content) => content.replaceAll("\ufe0f", ""));
    const [whole, short] = [await renderCells(qualified), await renderCells(plain)];
    for (const [at, cell] of whole.entries()) {
      expect(cell.find(GREY).count, qualified[at]).toBeLessThan(CELL * CELL - 2_000);
      expect(Buffer.from(short[at]?.pixels ?? []).equals(Buffer.from(cell.pixels)), qualified[at]).toBe(true);
    }
  });

  test("a joiner that joins nothing is not rendered", async () => {
    const [dangling, plain] = [await renderText("hello 🙂\u200d"), await renderText("hello 🙂")];
    expect(dangling.bytes).toEqual(plain.bytes);
  });

  test("symbols whose emoji are black have the colour of the text", async () => {
    const contents = ["✔️", "™️", "©️", "®️", "➕", "✖️", "♠️", "〰️", "💲", "🟰"];
    const cells = await renderCells(contents, { style_preset: "white" });
    for (const [at, cell] of cells.entries()) expect(cell.find(WHITE).count, contents[at]).toBeGreaterThan(300);
  });

  test("a letter and its mark are as wide as the letter alone", async () => {
    const pairs = ["gg̃", "oọ́", "eẹ̀", "ii̇", "かか゚", "กก็", "ששָׁ", "ΩΏ", "ыы̀", "аа́", "εε̄"].map((pair) =>
      splitGraphemes(pair),
    );
    const cells = await renderCells(pairs.flat(), { style_preset: "white" });
    for (const [at, pair] of pairs.entries()) {
      const [plain, marked] = [cells[at * 2]?.find(WHITE), cells[at * 2 + 1]?.find(WHITE)];
      const widths = [plain, marked].map((area) => (area ? area.right - area.left : 0));
      expect(Math.abs((widths[1] ?? 0) - (widths[0] ?? 0)), pair.join(" ")).toBeLessThan(16);
    }
  });

  test("dark emoji have an outline in the colour of light letters, and stay dark inside", async () => {
    const contents = ["🖤", "⚫", "⬛", "◼️", "◾", "🔝", "➰", "🐾", "👣", "🐜", "🕷️", "🕶️", "👾", "📞"];
    const cells = await renderCells(contents, { text_color: "#e6c828", style_preset: "white" });
    for (const [at, cell] of cells.entries()) expect(cell.find(YELLOW).count, contents[at]).toBeGreaterThan(200);
    expect(cells[1]?.find([49, 55, 61]).count).toBeGreaterThan(4_000);
    const [light, black] = [
      await renderCells(["🔥"], { style_preset: "white" }),
      await renderCells(["🖤"], { style_preset: "black" }),
    ];
    for (const [cell] of [light, black]) expect(cell?.find(WHITE).count).toBe(0);
  });

  test("the outline of a dark emoji is around it, on lines with other texts", async () => {
    for (const content of ["ab 🖤 cd", "שלום 🖤 abc"]) {
      const image = await renderText(content, { text_color: "#e6c828", style_preset: "white" });
      const heart = image.find([49, 55, 61]);
      const [left, right] = [heart.left, heart.right].map((x) => ((x + 3 * Math.sign(540 - x) * -1) * 100) / 1080);
      const middle = ((heart.top + (heart.bottom - heart.top) * 0.3) * 100) / 1080;
      for (const x of [left, right]) expect(image.at(x ?? 0, middle)[0], content).toBeGreaterThan(180);
    }
  });

  test("422 for emoji that are newer than the font, alone and joined", async () => {
    for (const content of ["🫩", "🫆", "🪾", "🫜", "🐦‍🔥", "🍋‍🟩", "🙂‍↔️", "🇨🇶", "⛓️‍💥", "🐻‍🐱"]) {
      const slide = buildSlide({ text_elements: [buildText(`a ${content}`)] });
      expect(JSON.stringify(await renderFailing(slide, SETTINGS))).toContain(content);
    }
  });

  test.each([
    ["Chinese", "今天天气很好"],
    ["Japanese", "こんにちは世界"],
    ["Korean", "안녕하세요"],
    ["Greek", "Καλημέρα"],
    ["Russian", "Доброе утро"],
    ["Vietnamese", "Buổi sáng tốt lành"],
    ["Polish", "Zażółć gęślą jaźń"],
    ["Traditional Chinese", "這個國家的經濟"],
    ["Georgian", "გამარჯობა"],
    ["Armenian", "Բարեւ աշխարհ"],
    ["Amharic", "ሰላም ለዓለም"],
    ["Hebrew", "שלום"],
    ["Gujarati", "ગજર"],
    ["Gurmukhi", "ਪਜਬ"],
    ["Kannada", "ಕನಡ"],
    ["Khmer", "សវត"],
    ["Lao", "ສບາຍ"],
    ["Malayalam", "മലയള"],
    ["Burmese", "မဂလပ"],
    ["Odia", "ନମର"],
    ["Sinhala", "ආයබව"],
    ["Telugu", "నమసర"],
    ["phonetic letters", "ʜᴇʟᴏᴥ"],
    ["rare punctuation and signs", "◕‿⟡⟶‣‽⊹⇀"],
  ])("%s is rendered, with a different glyph per character", async (_what, content) => {
    const characters = [...new Set(content.replaceAll(" ", ""))];
    const [again, ...glyphs] = await renderCells([characters.at(-1) ?? "", ...characters]);
    for (const one of glyphs) expect(one.find(WHITE).count).toBeGreaterThan(300);
    // A font without them would show the same box for all.
    const pixels = glyphs.map((one) => Buffer.from(one.pixels).toString("latin1"));
    expect(new Set(pixels).size).toBe(characters.length);
    // The place of a character on the slide does not change its pixels.
    expect(pixels.at(-1) === Buffer.from(again?.pixels ?? []).toString("latin1")).toBe(true);
  });

  test("Han characters have their Japanese form next to kana and their Chinese form elsewhere", async () => {
    const [chinese, japanese] = [
      await renderText("直", { y: 30 }),
      await renderTexts(buildText("直", { font_size: 90, y: 30 }), buildText("の", { y: 90 })),
    ];
    const ink = (image: typeof chinese) => image.find(WHITE).count;
    expect(ink(chinese)).not.toBe(ink(japanese));
  });

  test("Arabic and Hebrew end at the left, with their punctuation", async () => {
    const mark = await renderText("!", { font_size: 200 });
    for (const content of ["سلام!", "שלום!"]) {
      const image = await renderText(content, { font_size: 200, style_preset: "white" });
      const { left, top, bottom } = image.find(WHITE);
      const high = mark.find(WHITE).bottom - mark.find(WHITE).top;
      // The exclamation mark is the leftmost part, as tall as alone and a narrow bar.
      const column = ((left + 12) * 100) / 1080;
      const rows = Array.from({ length: bottom - top }, (_, row) => image.at(column, ((top + row) * 100) / 1080)[0]);
      expect(rows.filter((value) => value > 200).length, content).toBeGreaterThan(high * 0.4);
    }
  });

  test("joined letters are shaped: Arabic, Devanagari, Bengali, Tamil", async () => {
    for (const [content, parts] of [
      ["سلام", "س ل ا م"],
      ["क्षत्रिय", "क ष त र य"],
      ["প্রিয়", "প র য"],
      ["மொழி", "ம ழ"],
    ] as const) {
      const [joined, apart] = [await renderText(content), await renderText(parts)];
      expect(joined.find(WHITE).count, content).toBeGreaterThan(1_000);
      expect(joined.bytes).not.toEqual(apart.bytes);
    }
  });

  test("emoji stay in colour beside symbols", async () => {
    const image = await renderText("☐ ⭐", { style_preset: "black", font_size: 200 });
    expect(image.find([255, 172, 51]).count).toBeGreaterThan(3_000);
  });

  test("styled letters that no font has fall back to plain ones", async () => {
    const [styled, simple] = [await renderText("𝗕𝗼𝗹𝗱 𝓯𝓪𝓷𝓬𝔂 𝒽ℯ"), await renderText("Bold fancy he")];
    expect(styled.bytes).toEqual(simple.bytes);
  });

  test("invisible characters are removed: joiners, direction marks, controls", async () => {
    const [marked, simple] = [
      await renderText("\u200bHe\u00adl\u200el\u0007o\ufeff\t you \r\n"),
      await renderText("Hello you"),
    ];
    expect(marked.bytes).toEqual(simple.bytes);
  });

  test("line tabulation, form feed and next line end a line", async () => {
    const [controls, newlines] = [await renderText("ab\u000bcd\u000cef\u0085gh"), await renderText("ab\ncd\nef\ngh")];
    expect(controls.bytes).toEqual(newlines.bytes);
  });

  test("a text of spaces renders nothing", async () => {
    const [blank, none] = [await renderText(" \n \t "), await renderText("")];
    expect(blank.bytes).toEqual(none.bytes);
  });

  test.each(["#12345", "nosuchcolor", "rgb(1 .. 2)"])("an invalid colour is named: %s", async (color) => {
    for (const name of ["text_color", "background_color"]) {
      const rejected = await renderFailing(
        buildSlide({ text_elements: [buildText("a", { [name]: color })] }),
        SETTINGS,
      );
      const message = `${color} is not a valid CSS colour. Use one such as #ff0000 or red.`;
      expect(rejected).toEqual({ why: "text", message });
    }
  });

  test("characters that no font has are named instead of rendered as boxes", async () => {
    const rejected = await renderFailing(buildSlide({ text_elements: [buildText("Hello ᏣᎳᎩ")] }), SETTINGS);
    expect(rejected).toEqual({
      why: "text",
      message: "No font has these characters of the text: Ꮳ Ꮃ Ꭹ. Remove or replace them.",
    });
  });
});
