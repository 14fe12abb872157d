// Texts on slides: looks, sizes, wrapping, places, emoji and scripts.
import { describe, expect, test } from "vitest";
import type { TextElement } from "../../lib/schemas/slide.ts";
import { artistWith, slide, text, urlOf } from "./drawn.ts";
import { FONTS } from "./fonts.ts";
import { BLACK, BLUE, GREEN, plain, RED, WHITE, YELLOW } from "./images.ts";

const { draw, refusal } = artistWith(FONTS);
const GREY = [128, 128, 128] as const;
const SETTINGS = { aspect_ratio: "1:1" };

function write(...elements: TextElement[]) {
  return draw(slide({ image_url: urlOf("grey"), text_elements: elements }), SETTINGS, { grey: plain(GREY) });
}

const written = (content: string, more: Partial<TextElement> = {}) => write(text(content, { font_size: 90, ...more }));

describe("style presets", () => {
  test("tiktok: white letters with a black outline around all of them", async () => {
    const drawn = await written("Hello", { style_preset: "tiktok" });
    const [letters, outline] = [drawn.find(WHITE), drawn.find(BLACK)];
    expect(letters.count).toBeGreaterThan(4_000);
    expect(outline.count).toBeGreaterThan(3_000);
    expect(outline.left).toBeLessThan(letters.left);
    expect(outline.right).toBeGreaterThan(letters.right);
    expect(outline.top).toBeLessThan(letters.top);
    expect(outline.bottom).toBeGreaterThan(letters.bottom);
  });

  test("inverted: black letters on a white box with round corners", async () => {
    const drawn = await written("Hello", { style_preset: "inverted" });
    const [letters, box] = [drawn.find(BLACK), drawn.find(WHITE)];
    expect(letters.count).toBeGreaterThan(4_000);
    expect(box.left).toBeLessThan(letters.left - 15);
    expect(box.right).toBeGreaterThan(letters.right + 15);
    expect(drawn.at((box.left * 100) / 1080, (box.top * 100) / 1080)[0]).toBeLessThan(160);
  });

  test("inverted: every line has a box of its own width", async () => {
    const drawn = await written("A\nmuch longer", { style_preset: "inverted" });
    const box = drawn.find(WHITE);
    const upper = ((box.top + (box.bottom - box.top) / 4) * 100) / 1080;
    const lower = ((box.top + ((box.bottom - box.top) * 3) / 4) * 100) / 1080;
    const edge = ((box.left + 12) * 100) / 1080;
    expect(drawn.at(edge, lower)[0]).toBeGreaterThan(240);
    expect(drawn.at(edge, upper)[0]).toBeLessThan(140);
  });

  test("white and black: the letters alone", async () => {
    const [white, black] = [
      await written("Hello", { style_preset: "white" }),
      await written("Hello", { style_preset: "black" }),
    ];
    expect([white.find(WHITE).count > 4_000, white.find(BLACK).count]).toEqual([true, 0]);
    expect([black.find(BLACK).count > 4_000, black.find(WHITE).count]).toEqual([true, 0]);
  });

  test("shadow: white letters that darken what is around them", async () => {
    const drawn = await written("Hello", { style_preset: "shadow" });
    const plainGrey = (await written("Hello", { style_preset: "white" })).find(GREY).count;
    expect(drawn.find(WHITE).count).toBeGreaterThan(4_000);
    expect(drawn.find(GREY).count).toBeLessThan(plainGrey - 5_000);
  });

  test("one that is unknown, or named like something built in, looks like tiktok", async () => {
    const [tiktok, neon, odd] = await Promise.all(
      ["tiktok", "neon", "constructor"].map((style_preset) => written("Hello", { style_preset })),
    );
    expect(neon?.bytes).toEqual(tiktok?.bytes);
    expect(odd?.bytes).toEqual(tiktok?.bytes);
  });

  test("the slideshow's preset is for texts that name none", async () => {
    const settings = { ...SETTINGS, advanced_settings: { text_preset: "black" } };
    const elements = [text("one", { y: 25 }), text("two", { y: 75, style_preset: "white" })];
    const images = { grey: plain(GREY) };
    const drawn = await draw(slide({ image_url: urlOf("grey"), text_elements: elements }), settings, images);
    expect(drawn.find(BLACK).bottom).toBeLessThan(540);
    expect(drawn.find(WHITE).top).toBeGreaterThan(540);
  });

  test("colours and corners of the element's own go over those of its preset", async () => {
    const own = { text_color: "rgb(200 30 30)", background_color: "#1e3cc8", border_radius: 0 };
    const drawn = await written("Hello", { style_preset: "tiktok", ...own });
    const box = drawn.find(BLUE);
    expect(drawn.find(RED).count).toBeGreaterThan(4_000);
    expect(drawn.find(BLACK).count).toBe(0);
    const [x, y] = [((box.left + 3) * 100) / 1080, ((box.top + 3) * 100) / 1080];
    expect(drawn.at(x, y)[2]).toBeGreaterThan(150);
  });
});

describe("size", () => {
  const heightOf = async (settings: object, elements: TextElement[]) => {
    const images = { grey: plain(GREY) };
    const drawn = await draw(slide({ image_url: urlOf("grey"), text_elements: elements }), settings, images);
    const { top, bottom } = drawn.find(WHITE);
    return bottom - top + 1;
  };
  const title = (more: Partial<TextElement> = {}) => [text("HHH", { style_preset: "white", ...more })];
  const body = [text(""), ...title()];
  const sized = (font_size: number | string) => ({ ...SETTINGS, advanced_settings: { font_size } });

  /** Capitals of Inter are 0.727 of the font size. */
  const capitals = (pixels: number) => [Math.floor(pixels * 0.727) - 2, Math.ceil(pixels * 0.727) + 2] as const;

  test.each([
    ["title", SETTINGS, title(), 48],
    ["body", SETTINGS, body, 40],
    ["small title", sized("small"), title(), 40],
    ["small body", sized("small"), body, 33],
    ["a number", sized(120), body, 120],
    ["an unknown word", sized("huge"), title(), 48],
    ["the element's own", sized(120), title({ font_size: 60 }), 60],
  ])("%s", async (_what, settings, elements, pixels) => {
    const height = await heightOf(settings, elements);
    const [least, most] = capitals(pixels);
    expect(height).toBeGreaterThanOrEqual(least);
    expect(height).toBeLessThanOrEqual(most);
  });
});

describe("place and wrapping", () => {
  const LONG = "one two three four five six seven eight nine ten eleven twelve";

  test.each([
    [50, 50],
    [25, 30],
    [70, 85],
  ])("centred on x %d and y %d, one line or several", async (x, y) => {
    for (const content of ["nnn", "nnn nnn nnn nnn"]) {
      const { left, right, top, bottom } = (
        await written(content, { x, y, width: 30, style_preset: "white", font_size: 60 })
      ).find(WHITE);
      expect(Math.abs((left + right) / 2 - x * 10.8)).toBeLessThan(6);
      // Small letters hang a little lower than the middle of their line.
      expect(Math.abs((top + bottom) / 2 - y * 10.8)).toBeLessThan(16);
    }
  });

  test("wraps to its width, and a wider one has fewer lines", async () => {
    const at = async (width: number) => (await written(LONG, { width, style_preset: "white" })).find(WHITE);
    const [narrow, wide] = [await at(40), await at(90)];
    expect(narrow.right - narrow.left).toBeLessThanOrEqual(0.4 * 1080);
    expect(wide.right - wide.left).toBeLessThanOrEqual(0.9 * 1080);
    expect(wide.right - wide.left).toBeGreaterThan(0.6 * 1080);
    expect(narrow.bottom - narrow.top).toBeGreaterThan((wide.bottom - wide.top) * 1.8);
  });

  test.each([
    ["narrow", 60],
    ["default", 80],
    ["wide", 92],
    ["odd", 80],
  ])("text_width %s is %d percent", async (text_width, percent) => {
    // Chinese may be broken anywhere, so its lines are nearly full.
    const box = text("一".repeat(200), { style_preset: "white", font_size: 30 });
    const settings = { ...SETTINGS, advanced_settings: { text_width } };
    const drawn = await draw(slide({ image_url: urlOf("grey"), text_elements: [box] }), settings, {
      grey: plain(GREY),
    });
    const { left, right } = drawn.find(WHITE);
    expect(right - left).toBeLessThanOrEqual(percent * 10.8);
    expect(right - left).toBeGreaterThan(percent * 10.8 * 0.85);
  });

  test("a word longer than its line is broken, and new lines are kept", async () => {
    const word = (await written("n".repeat(60), { width: 50, style_preset: "white" })).find(WHITE);
    expect(word.right - word.left).toBeLessThanOrEqual(540);
    const one = (await written("a b", { style_preset: "white" })).find(WHITE);
    const two = (await written("a\nb", { style_preset: "white" })).find(WHITE);
    expect(two.bottom - two.top).toBeGreaterThan((one.bottom - one.top) * 1.5);
  });

  test("texts lie over each other in their order", async () => {
    const box = (color: string) => text("mmm", { font_size: 120, background_color: color, text_color: color });
    const drawn = await write(box("#c81e1e"), box("#e6c828"));
    expect(drawn.find(YELLOW).count).toBeGreaterThan(10_000);
    expect(drawn.find(RED).count).toBe(0);
    expect(drawn.find(GREEN).count).toBe(0);
  });
});

describe("emoji and scripts", () => {
  test("emoji are in colour, whatever the look", async () => {
    const drawn = await written("🔥", { style_preset: "black" });
    // Twemoji's flame: orange outside, yellow inside.
    expect(drawn.find([244, 144, 12]).count).toBeGreaterThan(1_000);
    expect(drawn.find([255, 204, 77]).count).toBeGreaterThan(500);
  });

  test("a family, a flag and a skin tone are one emoji each, as wide as any", async () => {
    const widthOf = async (content: string) => {
      const box = { background_color: "#1e3cc8", text_color: "#1e3cc8", border_radius: 0 };
      const { left, right } = (await written(content, box)).find(BLUE);
      return right - left;
    };
    const single = await widthOf("🔥");
    for (const content of ["👨‍👩‍👧‍👦", "🇩🇪", "👍🏽", "1️⃣", "❤️"]) {
      expect(Math.abs((await widthOf(content)) - single), content).toBeLessThan(4);
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
  ])("%s is drawn, each character as itself", async (_what, content) => {
    const pictures = await Promise.all([...new Set(content.replaceAll(" ", ""))].map((one) => written(one)));
    for (const one of pictures) expect(one.find(WHITE).count).toBeGreaterThan(300);
    // A font that lacked them would show the same box for all.
    expect(new Set(pictures.map(({ bytes }) => bytes.join())).size).toBe(pictures.length);
  });

  test("Han characters have their Japanese form beside kana and their Chinese one elsewhere", async () => {
    const [chinese, japanese] = [
      await written("直", { y: 30 }),
      await write(text("直", { font_size: 90, y: 30 }), text("の", { y: 90 })),
    ];
    const ink = (drawn: typeof chinese) => drawn.find(WHITE).count;
    expect(ink(chinese)).not.toBe(ink(japanese));
  });

  test("styled letters that no font has fall back to plain ones", async () => {
    const [styled, simple] = [await written("𝗕𝗼𝗹𝗱 𝓯𝓪𝓷𝓬𝔂"), await written("Bold fancy")];
    expect(styled.bytes).toEqual(simple.bytes);
  });

  test("what is not seen is not drawn: joiners, marks of direction, controls", async () => {
    const [marked, simple] = [
      await written("\u200bHe\u00adl\u200el\u0007o\ufeff\t you \r\n"),
      await written("Hello you"),
    ];
    expect(marked.bytes).toEqual(simple.bytes);
  });

  test("a text without any letters draws nothing", async () => {
    const [blank, none] = [await written(" \n \t "), await written("")];
    expect(blank.bytes).toEqual(none.bytes);
  });

  test.each(["#12345", "nosuchcolor", "rgb(1 .. 2)"])("a colour that is none is named: %s", async (color) => {
    for (const name of ["text_color", "background_color"]) {
      const refused = await refusal(slide({ text_elements: [text("a", { [name]: color })] }), SETTINGS);
      const message = `${color} is no colour that can be drawn. Write one such as #ff0000 or red.`;
      expect(refused).toEqual({ why: "text", message });
    }
  });

  test("characters that no font has are named instead of drawn as boxes", async () => {
    const refused = await refusal(slide({ text_elements: [text("Hello مرحبا")] }), SETTINGS);
    expect(refused).toEqual({
      why: "text",
      message: "No font can draw these characters of its text: م ر ح ب ا. Leave them out or write them differently.",
    });
  });
});
