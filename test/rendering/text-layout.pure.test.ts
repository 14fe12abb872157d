// Lines of a text, in a font whose characters are as wide as its size, except for a narrow "i".
import { expect, test } from "vitest";
import { resolveRenderOptions } from "../../lib/rendering/settings.ts";
import { buildTextBlocks } from "../../lib/rendering/text-blocks.ts";
import { createTextLayouter } from "../../lib/rendering/text-layout.ts";

/** `room` is the number of characters that fit on a line. */
async function layOutLines(content: string, room: number) {
  const measure = (text: string) => [...text].reduce((sum, letter) => sum + (letter === "i" ? 0.5 : 1), 0);
  const layouter = createTextLayouter(async (texts) => texts.map(measure));
  const element = { content, x: 50, y: 50, width: room, font_size: 10.8, style_preset: "white" } as const;
  const options = resolveRenderOptions({});
  const [block] = buildTextBlocks({ text_elements: [element] }, options, { texts: [content], language: "en" });
  if (!block) throw new Error("no text");
  return (await layouter.layOut(block)).lines;
}

const breakLines = async (content: string, room: number) =>
  (await layOutLines(content, room)).map(({ text }) => text).join(" / ");

test.each([
  ["as few as fit", "aaaa bbbb", 9, "aaaa bbbb"],
  ["of balanced length", "aaaa bbbb cccc dddd", 14, "aaaa bbbb / cccc dddd"],
  ["no single word on the last line, if others are as balanced", "aaaa c bbbbi", 8, "aaaa / c bbbbi"],
  ["between words of Japanese and Chinese", "朝の習慣を変えた3つのこと", 11, "朝の習慣を / 変えた3つのこと"],
  ["at a soft hyphen, with a hyphen", "Donau\u00addampf\u00adschiff", 12, "Donau- / dampfschiff"],
  ["a soft hyphen without need", "Donau\u00addampf", 12, "Donaudampf"],
  ["no hyphen where it has no room", "aaaaa\u00adbbbbb\u00adcc", 10, "aaaaa- / bbbbbcc"],
  ["no price over two lines", "aaa bbb 5 € cc", 9, "aaa bbb / 5 € cc"],
  ["a single word on the last line, if others are far less balanced", "a b c dddddddd", 10, "a b c / dddddddd"],
])("lines: %s", async (_what, text, room, wanted) => {
  expect(await breakLines(text, room)).toBe(wanted);
});

test.each([
  [
    "an English paragraph with Hebrew at the start of a line",
    "aaaa bbbb שלום dddd",
    ["aaaa bbbb", "שלום dddd"],
    [false, false],
  ],
  [
    "a Hebrew paragraph with English at the start of a line",
    "שלום עולם aaaa bbbb",
    ["שלום עולם", "aaaa bbbb"],
    [true, true],
  ],
  ["paragraphs of two languages", "aaaa\nשלום", ["aaaa", "שלום"], [false, true]],
  ["a paragraph without letters", "123", ["123"], [false]],
])("every line has the direction of its paragraph: %s", async (_what, text, lines, rightToLeft) => {
  const laidOut = await layOutLines(text, 9);
  expect(laidOut.map((line) => line.text)).toEqual(lines);
  expect(laidOut.map((line) => line.rightToLeft)).toEqual(rightToLeft);
});
