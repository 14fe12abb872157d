// Texts on slides: styles, sizes, wrapping, positions.
import { describe, expect, test } from "vitest";
import type { TextElement } from "../../lib/schemas/slide.ts";
import { BLACK, BLUE, buildPlainImage, GREEN, RED, WHITE, YELLOW } from "./test-images.ts";
import { buildSlide, buildText, getImageUrl } from "./test-renderer.ts";
import { GREY, render, renderText, renderTexts, SETTINGS } from "./text-renderer.ts";

describe("style presets", () => {
  test("tiktok: white letters with a black outline around all of them", async () => {
    const image = await renderText("Hello", { style_preset: "tiktok" });
    const [letters, outline] = [image.find(WHITE), image.find(BLACK)];
    expect(letters.count).toBeGreaterThan(4_000);
    expect(outline.count).toBeGreaterThan(3_000);
    expect(outline.left).toBeLessThan(letters.left);
    expect(outline.right).toBeGreaterThan(letters.right);
    expect(outline.top).toBeLessThan(letters.top);
    expect(outline.bottom).toBeGreaterThan(letters.bottom);
  });

  test("inverted: black letters on a white box with round corners", async () => {
    const image = await renderText("Hello", { style_preset: "inverted" });
    const [letters, box] = [image.find(BLACK), image.find(WHITE)];
    expect(letters.count).toBeGreaterThan(4_000);
    expect(box.left).toBeLessThan(letters.left - 15);
    expect(box.right).toBeGreaterThan(letters.right + 15);
    expect(image.at((box.left * 100) / 1080, (box.top * 100) / 1080)[0]).toBeLessThan(160);
  });

  test("inverted: the box of every line has its own width", async () => {
    const image = await renderText("A\nmuch longer", { style_preset: "inverted" });
    const box = image.find(WHITE);
    const upper = ((box.top + (box.bottom - box.top) / 4) * 100) / 1080;
    const lower = ((box.top + ((box.bottom - box.top) * 3) / 4) * 100) / 1080;
    const edge = ((box.left + 12) * 100) / 1080;
    expect(image.at(edge, lower)[0]).toBeGreaterThan(240);
    expect(image.at(edge, upper)[0]).toBeLessThan(140);
  });

  test("white and black: only letters", async () => {
    const [white, black] = [
      await renderText("Hello", { style_preset: "white" }),
      await renderText("Hello", { style_preset: "black" }),
    ];
    expect([white.find(WHITE).count > 4_000, white.find(BLACK).count]).toEqual([true, 0]);
    expect([black.find(BLACK).count > 4_000, black.find(WHITE).count]).toEqual([true, 0]);
  });

  test("shadow: white letters with a dark shadow", async () => {
    const image = await renderText("Hello", { style_preset: "shadow" });
    const plainGrey = (await renderText("Hello", { style_preset: "white" })).find(GREY).count;
    expect(image.find(WHITE).count).toBeGreaterThan(4_000);
    expect(image.find(GREY).count).toBeLessThan(plainGrey - 5_000);
  });

  test("an unknown preset, or one named like a built-in property, falls back to tiktok", async () => {
    const [tiktok, neon, odd] = await Promise.all(
      ["tiktok", "neon", "constructor"].map((stored) => renderText("Hello", { style_preset: stored as "tiktok" })),
    );
    expect(neon?.bytes).toEqual(tiktok?.bytes);
    expect(odd?.bytes).toEqual(tiktok?.bytes);
  });

  test("the slideshow's preset applies to texts without their own", async () => {
    const settings = { ...SETTINGS, advanced_settings: { text_preset: "black" } };
    const elements = [buildText("one", { y: 25 }), buildText("two", { y: 75, style_preset: "white" })];
    const images = { grey: buildPlainImage(GREY) };
    const image = await render(
      buildSlide({ image_url: getImageUrl("grey"), text_elements: elements }),
      settings,
      images,
    );
    expect(image.find(BLACK).bottom).toBeLessThan(540);
    expect(image.find(WHITE).top).toBeGreaterThan(540);
  });

  test("colours and corners of the element override its preset", async () => {
    const own = { text_color: "rgb(200 30 30)", background_color: "#1e3cc8", border_radius: 0 };
    const image = await renderText("Hello", { style_preset: "tiktok", ...own });
    const box = image.find(BLUE);
    expect(image.find(RED).count).toBeGreaterThan(4_000);
    expect(image.find(BLACK).count).toBe(0);
    const [x, y] = [((box.left + 3) * 100) / 1080, ((box.top + 3) * 100) / 1080];
    expect(image.at(x, y)[2]).toBeGreaterThan(150);
  });
});

describe("size", () => {
  const heightOf = async (settings: object, elements: TextElement[]) => {
    const images = { grey: buildPlainImage(GREY) };
    const image = await render(
      buildSlide({ image_url: getImageUrl("grey"), text_elements: elements }),
      settings,
      images,
    );
    const { top, bottom } = image.find(WHITE);
    return bottom - top + 1;
  };
  const title = (more: Partial<TextElement> = {}) => [buildText("HHH", { style_preset: "white", ...more })];
  const body = [buildText(""), ...title()];
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
    ["the element's size", sized(120), title({ font_size: 60 }), 60],
  ])("%s", async (_what, settings, elements, pixels) => {
    const height = await heightOf(settings, elements);
    const [least, most] = capitals(pixels);
    expect(height).toBeGreaterThanOrEqual(least);
    expect(height).toBeLessThanOrEqual(most);
  });
});

describe("position and wrapping", () => {
  const LONG = "one two three four five six seven eight nine ten eleven twelve";

  test.each([
    [50, 50],
    [25, 30],
    [70, 85],
  ])("centred on x %d and y %d, with one or several lines", async (x, y) => {
    for (const content of ["nnn", "nnn nnn nnn nnn"]) {
      const { left, right, top, bottom } = (
        await renderText(content, { x, y, width: 30, style_preset: "white", font_size: 60 })
      ).find(WHITE);
      expect(Math.abs((left + right) / 2 - x * 10.8)).toBeLessThan(6);
      // Lowercase letters are a little below the middle of their line.
      expect(Math.abs((top + bottom) / 2 - y * 10.8)).toBeLessThan(16);
    }
  });

  test("wraps to its width; a wider text has fewer lines", async () => {
    const at = async (width: number) => (await renderText(LONG, { width, style_preset: "white" })).find(WHITE);
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
    // Chinese text can be broken anywhere, so its lines are nearly full.
    const box = buildText("一".repeat(200), { style_preset: "white", font_size: 30 });
    const settings = { ...SETTINGS, advanced_settings: { text_width } };
    const image = await render(buildSlide({ image_url: getImageUrl("grey"), text_elements: [box] }), settings, {
      grey: buildPlainImage(GREY),
    });
    const { left, right } = image.find(WHITE);
    expect(right - left).toBeLessThanOrEqual(percent * 10.8);
    expect(right - left).toBeGreaterThan(percent * 10.8 * 0.85);
  });

  test("a word longer than its line is broken, and line breaks are kept", async () => {
    const word = (await renderText("n".repeat(60), { width: 50, style_preset: "white" })).find(WHITE);
    expect(word.right - word.left).toBeLessThanOrEqual(540);
    const one = (await renderText("a b", { style_preset: "white" })).find(WHITE);
    const two = (await renderText("a\nb", { style_preset: "white" })).find(WHITE);
    expect(two.bottom - two.top).toBeGreaterThan((one.bottom - one.top) * 1.5);
  });

  test("boxed texts of random words are centred on their point", async () => {
    let seed = 7;
    const random = (most: number) => {
      seed = (seed * 16_807) % 2_147_483_647;
      return seed % most;
    };
    const words = "a it the calm quiet mornings unbelievable why\nnot 🔥 ok".split(" ");
    for (let round = 0; round < 12; round++) {
      const content = Array.from({ length: 1 + random(14) }, () => words[random(words.length)]).join(" ");
      const style = {
        font_size: 30 + random(40),
        width: 25 + random(60),
        background_color: "#1e3cc8",
        text_color: "#1e3cc8",
      };
      const box = (await renderText(content, { ...style, x: 50, y: 50 })).find(BLUE);
      expect(Math.abs((box.left + box.right) / 2 - 540), content).toBeLessThan(4);
      expect(Math.abs((box.top + box.bottom) / 2 - 540), content).toBeLessThan(4);
    }
  });

  test("boxes of nearly equal lines are one, others meet without a seam", async () => {
    const own = { background_color: "rgba(30, 60, 200, 1)", text_color: "#1e3cc8", font_size: 60 };
    const equal = (await renderText("nnnnn\nnnnni", own)).find(BLUE);
    // Only the four round corners of one box are missing.
    const area = (equal.right - equal.left + 1) * (equal.bottom - equal.top + 1);
    expect(area - equal.count).toBeLessThan(600);
    const clear = await renderText("nnnnnnnnnn\nnn", {
      ...own,
      background_color: "rgba(255, 255, 255, 0.5)",
      text_color: "#80808000",
    });
    const column = Array.from({ length: 9 }, (_, at) => clear.at(50, 48 + at * 0.5)[0]);
    expect(Math.max(...column) - Math.min(...column)).toBeLessThan(4);
  });

  test("left and right alignment, and line spacing", async () => {
    const at = async (more: Partial<TextElement>) =>
      (await renderText("one two three\nfour", { style_preset: "white", font_size: 60, width: 60, ...more })).find(
        WHITE,
      );
    const [left, center, right] = [await at({ text_align: "left" }), await at({}), await at({ text_align: "right" })];
    expect(Math.abs(left.left - 216)).toBeLessThan(8);
    expect(Math.abs(right.right - 864)).toBeLessThan(8);
    expect(Math.abs((center.left + center.right) / 2 - 540)).toBeLessThan(6);
    const [tight, loose] = [await at({ line_height: 1 }), await at({ line_height: 2 })];
    expect(loose.bottom - loose.top - (tight.bottom - tight.top)).toBe(60);
  });

  test("every paragraph has lines of balanced length", async () => {
    const image = await renderText("short\none two three four five six seven", {
      style_preset: "white",
      font_size: 60,
      width: 70,
    });
    const { left, right } = image.find(WHITE);
    expect(right - left).toBeLessThan(0.55 * 1080);
  });

  test("texts are stacked in order", async () => {
    const box = (color: string) => buildText("mmm", { font_size: 120, background_color: color, text_color: color });
    const image = await renderTexts(box("#c81e1e"), box("#e6c828"));
    expect(image.find(YELLOW).count).toBeGreaterThan(10_000);
    expect(image.find(RED).count).toBe(0);
    expect(image.find(GREEN).count).toBe(0);
  });
});
