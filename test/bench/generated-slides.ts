// Counts overlaps and overflows of generated slides: ratios x sizes x lengths x languages.
import { selectFonts } from "../../lib/rendering/font-selection.ts";
import type { FontStore } from "../../lib/rendering/font-store.ts";
import { layOutSlides } from "../../lib/rendering/layout-handler.ts";
import type { RenderEngine } from "../../lib/rendering/renderer.ts";
import { computeSafeArea } from "../../lib/rendering/safe-area.ts";
import { type RenderSettings, resolveRenderOptions } from "../../lib/rendering/settings.ts";
import type { SlideLayout, SlideTexts } from "../../lib/rendering/slide-layout.ts";
import { buildTextBlocks } from "../../lib/rendering/text-blocks.ts";
import { createTextLayouter, getBlockHeight, getBoxPadding } from "../../lib/rendering/text-layout.ts";

const RATIOS = ["9:16", "4:5", "1:1", "16:9", "2:1"];
const SIZES = ["default", "small", 48, 120] as const;
/** Characters of heading and body; the last one is what the schema of the model's answer accepts at most. */
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

export interface GeneratedCase {
  name: string;
  settings: RenderSettings;
  layout: SlideLayout;
}

export async function layOutGeneratedSlides(engine: RenderEngine, fonts: FontStore): Promise<GeneratedCase[]> {
  const cases: GeneratedCase[] = [];
  for (const aspect_ratio of RATIOS) {
    for (const font_size of SIZES) {
      const settings = { aspect_ratio, advanced_settings: { font_size } };
      for (const [language, words] of Object.entries(WORDS)) {
        for (const [heading, body] of LENGTHS) {
          const slides: SlideTexts[] = [{ heading: repeatTo(words, heading), body: repeatTo(words, body) }];
          const [layout = []] = await layOutSlides({ slides, settings }, engine, fonts);
          cases.push({ name: `${aspect_ratio} ${font_size} ${language} ${heading}+${body}`, settings, layout });
        }
      }
    }
  }
  return cases;
}

/** As many whole words as fit into `length` characters. */
function repeatTo(words: string, length: number): string {
  const segments = [...new Intl.Segmenter("th", { granularity: "word" }).segment(`${words} `)];
  let text = "";
  for (let at = 0; ; at++) {
    const longer = text + (segments[at % segments.length]?.segment ?? "");
    if ([...longer].length > length) return text.trim();
    text = longer;
  }
}

/** The areas that texts cover, with boxes and outlines, as the renderer places them. */
export async function findLayoutProblems(
  one: GeneratedCase,
  engine: RenderEngine,
  fonts: FontStore,
): Promise<string[]> {
  const options = resolveRenderOptions(one.settings);
  const area = computeSafeArea(options.canvas);
  const text = selectFonts(
    one.layout.map(({ content }) => content),
    await fonts.index(),
  );
  const faces = await fonts.load(text.faces);
  const rectangles = await engine.withMeasure({ ...text, faces }, async (measure) => {
    const layouter = createTextLayouter(measure);
    const laidOut = [];
    for (const block of buildTextBlocks({ text_elements: one.layout }, options, text)) {
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
  if (!heading) problems.push(`${one.name}: no text`);
  if (heading && body && heading.bottom > body.top + 0.5) problems.push(`${one.name}: heading and body overlap`);
  for (const { left, top, right, bottom, fontSize } of rectangles) {
    const inside =
      left >= area.left - 1 &&
      right <= area.left + area.width + 1 &&
      top >= area.top - 1 &&
      bottom <= area.top + area.height + 1;
    if (!inside) problems.push(`${one.name}: outside of the safe area`);
    if (fontSize < 32) problems.push(`${one.name}: ${fontSize} px`);
  }
  return problems;
}
