// Generated slides of all ratios, sizes, lengths and languages: no text overlaps another one or leaves the safe area.

import compiled from "@takumi-rs/wasm/takumi_wasm_bg.wasm";
import { expect, test } from "vitest";
import { selectFonts } from "../../lib/rendering/font-selection.ts";
import { openFontStore } from "../../lib/rendering/font-store.ts";
import { layOutSlides } from "../../lib/rendering/layout-handler.ts";
import { openRenderEngine } from "../../lib/rendering/renderer.ts";
import { computeSafeArea } from "../../lib/rendering/safe-area.ts";
import { type RenderSettings, resolveRenderOptions } from "../../lib/rendering/settings.ts";
import type { SlideLayout, SlideTexts } from "../../lib/rendering/slide-layout.ts";
import { buildTextBlocks } from "../../lib/rendering/text-blocks.ts";
import { createTextLayouter, getBlockHeight, getBoxPadding } from "../../lib/rendering/text-layout.ts";
import { at } from "../../lib/shared/at.ts";
import { FONTS } from "../rendering/fonts.ts";

const RATIOS = ["9:16", "4:5", "1:1", "16:9", "2:1"];
const SIZES = ["default", "small", 48, 120] as const;
/** Characters of heading and body; the last one is what the schema of the model's response accepts at most. */
const LENGTHS = [
  [24, 0],
  [60, 200],
  [120, 300],
] as const;
const WORDS: Record<string, string> = {
  en: "small habits that make every single morning calmer and unbelievably productive without any extra effort",
  de: "Morgenroutinen verändern Gewohnheiten und Geschwindigkeitsbegrenzungen sind trotzdem überall einzuhalten",
  ar: "عادات صغيرة تجعل كل صباح أكثر هدوءا وإنتاجية دون أي جهد إضافي من جانبك في الحياة اليومية",
  hi: "छोटी आदतें जो हर सुबह को शांत और उत्पादक बनाती हैं बिना किसी अतिरिक्त प्रयास के जीवन में",
  th: "นิสัยเล็กๆที่ทำให้ทุกเช้าสงบและมีประสิทธิภาพมากขึ้นโดยไม่ต้องพยายามเพิ่มเติมในชีวิตประจำวัน",
  ja: "毎朝をもっと穏やかで生産的にする小さな習慣を、追加の努力なしに身につける方法を紹介します。",
};

const engine = openRenderEngine(compiled);
const fonts = openFontStore(FONTS);

test.each(RATIOS.flatMap((ratio) => SIZES.map((size) => [ratio, size] as const)))(
  "%s, size %s",
  async (ratio, size) => {
    const settings = { aspect_ratio: ratio, advanced_settings: { font_size: size } };
    const problems: string[] = [];
    for (const [language, words] of Object.entries(WORDS)) {
      for (const [heading, body] of LENGTHS) {
        const slides: SlideTexts[] = [{ heading: repeatTo(words, heading), body: repeatTo(words, body) }];
        const [layout = []] = await layOutSlides({ slides, settings }, engine, fonts);
        problems.push(...(await findProblems(`${language} ${heading}+${body}`, settings, layout)));
      }
    }
    expect(problems).toEqual([]);
  },
);

/** As many whole words as fit into `length` characters. */
function repeatTo(words: string, length: number): string {
  const segments = [...new Intl.Segmenter("th", { granularity: "word" }).segment(`${words} `)];
  let text = "";
  for (let index = 0; ; index++) {
    const longer = text + at(segments, index % segments.length).segment;
    if ([...longer].length > length) return text.trim();
    text = longer;
  }
}

/** Measures the areas that texts cover, with boxes and outlines, as the renderer places them. */
async function findProblems(name: string, settings: RenderSettings, layout: SlideLayout): Promise<string[]> {
  const options = resolveRenderOptions(settings);
  const area = computeSafeArea(options.canvas);
  const text = selectFonts(
    layout.map(({ content }) => content),
    await fonts.index(),
  );
  const faces = await fonts.load(text.faces);
  const rectangles = await engine.withMeasure({ ...text, faces }, async (measure) => {
    const layouter = createTextLayouter(measure);
    const laidOut = [];
    for (const block of buildTextBlocks({ text_elements: layout }, options, text)) {
      laidOut.push(await layouter.layOut(block));
    }
    return laidOut.map((block) => {
      const width = Math.max(...block.lines.map((line) => line.width)) + 2 * getBoxPadding(block);
      const height = getBlockHeight(block);
      const [left, top] = [block.x - width / 2, block.y - height / 2];
      return { left, top, right: left + width, bottom: top + height, fontSize: block.fontSize };
    });
  });
  const problems: string[] = [];
  const [heading, body] = rectangles;
  if (!heading) problems.push(`${name}: no text`);
  if (heading && body && heading.bottom > body.top + 0.5) problems.push(`${name}: heading and body overlap`);
  for (const { left, top, right, bottom, fontSize } of rectangles) {
    const inside =
      left >= area.left - 1 &&
      right <= area.left + area.width + 1 &&
      top >= area.top - 1 &&
      bottom <= area.top + area.height + 1;
    if (!inside) problems.push(`${name}: outside of the safe area`);
    if (fontSize < 32) problems.push(`${name}: ${fontSize} px`);
  }
  return problems;
}
