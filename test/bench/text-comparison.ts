// Texts of every script beside the browser's rendering, and the centres of random boxed texts.
import { selectFonts } from "../../lib/rendering/font-selection.ts";
import type { FontStore } from "../../lib/rendering/font-store.ts";
import { createMeasuredScene } from "../../lib/rendering/measured-scene.ts";
import type { RenderEngine } from "../../lib/rendering/renderer.ts";
import { resolveRenderOptions } from "../../lib/rendering/settings.ts";
import { buildTextBlocks } from "../../lib/rendering/text-blocks.ts";
import { createTextLayouter } from "../../lib/rendering/text-layout.ts";
import type { BareSlide, TextElement } from "../../lib/schemas/slide.ts";
import { type Browser, comparePixels, decodePixels } from "./browser.ts";
import { buildSlidePage } from "./browser-slide.ts";

export interface Drawing {
  engine: RenderEngine;
  fonts: FontStore;
}

const SETTINGS = { aspect_ratio: "1:4" };
const PER_SLIDE = 10;
const WORDS: Record<string, string[]> = {
  Arabic:
    "مرحبا بكم، صباح الخير! عادات صغيرة؟ تجعل يومك أفضل (اليوم) لا تنس شرب الماء كل ٣ ساعات المستقبل الإبداع".split(
      " ",
    ),
  Hebrew: "שלום לכולם! בוקר טוב, הרגלים קטנים (היום) שישנו את החיים שלך? אל תשכח לשתות מים כל 3 שעות עכשיו".split(" "),
  Hindi: "नमस्ते दुनिया, आज सुबह छोटी आदतें क्षत्रिय ज्ञान प्रकृति स्वास्थ्य विद्यार्थी कृपया ध्यान दें। हर्ष मृत्यु ट्रक".split(" "),
  Bengali: "প্রিয় বন্ধু, সকালের ছোট অভ্যাস ক্ষমা বিজ্ঞান স্বাস্থ্য কর্ম শ্রী শিক্ষা ত্রিশ দৃষ্টি কৃষ্ণ উজ্জ্বল আমাদের গ্রাম।".split(" "),
  Tamil: "வணக்கம் நண்பர்களே, காலை பழக்கங்கள் சிறிய மொழி கொண்டு தமிழ்நாடு அழகானது ஸ்ரீ பௌர்ணமி கேள்வி நன்றி!".split(" "),
  Thai: "สวัสดีตอนเช้า วันนี้อากาศดีมาก นิสัยเล็กๆ เปลี่ยนชีวิต น้ำดื่ม ผู้ใหญ่ ที่นี่ กตัญญู ปู่ย่าตายาย ครั้ง ซื้อ".split(" "),
  Georgian: "გამარჯობა მსოფლიო, დილის პატარა ჩვევები ცვლის ცხოვრებას! როგორ ხარ დღეს წყალი მზე".split(" "),
  Armenian: "Բարեւ աշխարհ, փոքր սովորություններ առավոտյան փոխում են կյանքը: Ինչպես ես այսօր ջուր արև".split(" "),
  Amharic: "ሰላም ለዓለም፣ ትንሽ ልማዶች ጠዋት ሕይወትን ይለውጣሉ። እንዴት ነህ ዛሬ ውሃ ፀሐይ መልካም ቀን".split(" "),
  "Traditional Chinese":
    "早安 大家好 小習慣 改變 你的 人生 每天 喝水 這個 國家 經濟 發展 讓我們 開始 學習 為什麼".split(" "),
};

/** The same sequence in every run. */
function createRandom(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (state * 16_807) % 2_147_483_647;
    return state % below;
  };
}

export interface ScriptResult {
  script: string;
  texts: number;
  /** Percent of the pixels of a text's strip. */
  mean: number;
  worst: number;
  /** Texts of more than two percent, and those of them that differ in the same lines too. */
  over: number;
  overInSameLines: number;
}

export async function compareScripts(drawing: Drawing, browser: Browser, count: number): Promise<ScriptResult[]> {
  const results: ScriptResult[] = [];
  for (const [script, words] of Object.entries(WORDS)) {
    const random = createRandom(11);
    const result: ScriptResult = { script, texts: 0, mean: 0, worst: 0, over: 0, overInSameLines: 0 };
    for (let from = 0; from < count; from += PER_SLIDE) {
      const contents = Array.from({ length: PER_SLIDE }, () => pickWords(words, 2 + random(6), random));
      const inSameLines = await compareStrips(await breakLines(contents, drawing), drawing, browser);
      for (const [at, difference] of (await compareStrips(contents, drawing, browser)).entries()) {
        result.texts += 1;
        result.mean += difference / count;
        result.worst = Math.max(result.worst, difference);
        if (difference > 2) result.over += 1;
        if ((inSameLines[at] ?? 0) > 2) result.overInSameLines += 1;
      }
    }
    results.push(result);
  }
  return results;
}

/** The texts with a hard break where a line of the slide ends. */
async function breakLines(contents: string[], { engine, fonts }: Drawing): Promise<string[]> {
  const text = selectFonts(contents, await fonts.index());
  const blocks = buildTextBlocks(buildTextStrips(contents), resolveRenderOptions(SETTINGS), text);
  return engine.withMeasure({ ...text, faces: await fonts.load(text.faces) }, async (measure) => {
    const layouter = createTextLayouter(measure);
    const broken: string[] = [];
    for (const block of blocks) broken.push((await layouter.layOut(block)).lines.map((line) => line.text).join("\n"));
    return broken;
  });
}

async function compareStrips(contents: string[], drawing: Drawing, browser: Browser) {
  const slide = buildTextStrips(contents);
  const size = resolveRenderOptions(SETTINGS).canvas;
  const [ours, page] = await renderNatively(slide, drawing);
  const theirs = await decodePixels(await browser.render(page, size), size);
  return contents.map((_, at) => {
    const middle = getStripCenter(at, size.height);
    return comparePixels(ours, theirs, size.width, middle - 96, middle + 96);
  });
}

const pickWords = (words: string[], count: number, random: (below: number) => number) =>
  Array.from({ length: count }, () => words[random(words.length)]).join(" ");

function getStripCenter(at: number, height: number): number {
  return Math.round(((at + 0.5) * height) / PER_SLIDE);
}

function buildTextStrips(contents: string[]): BareSlide {
  return buildStrips(contents.map((content) => ({ content, font_size: 48, style_preset: "white" })));
}

function buildStrips(elements: Pick<TextElement, "content">[]): BareSlide {
  const text_elements = elements.map((element, at) => ({ ...element, x: 50, y: ((at + 0.5) * 100) / PER_SLIDE }));
  return { image_url: null, text_elements };
}

/** The pixels, and the page of the same slide. */
async function renderNatively(slide: BareSlide, { engine, fonts }: Drawing): Promise<[Uint8Array, string]> {
  const size = resolveRenderOptions(SETTINGS).canvas;
  const text = selectFonts(
    slide.text_elements.map(({ content }) => content),
    await fonts.index(),
  );
  if (text.missing.length > 0) throw new Error(`No font has ${text.missing.join(" ")}`);
  const renderFonts = { ...text, faces: await fonts.load(text.faces) };
  const png = await engine.renderScene(createMeasuredScene(slide, SETTINGS, [], text), size, renderFonts, "png");
  return [await decodePixels(png, size), buildSlidePage(slide, SETTINGS, renderFonts, "#111114")];
}

const BOX = [0, 90, 255];
const BOXED_WORDS = "a it the calm quiet mornings unbelievable why 🔥 ok 習慣 мир".split(" ");

/** The largest distance of the centre of a box from its point, in pixels, and how many are off by more than 4. */
export async function measureBoxes(
  drawing: Drawing,
  count: number,
): Promise<{ count: number; worst: number; off: number }> {
  const random = createRandom(5);
  const size = resolveRenderOptions(SETTINGS).canvas;
  const result = { count: 0, worst: 0, off: 0 };
  while (result.count < count) {
    const style = { background_color: `rgb(${BOX.join(" ")})`, text_color: `rgb(${BOX.join(" ")})` };
    const elements = Array.from({ length: PER_SLIDE }, () => {
      // One word more than these and a line for each would reach into the next strip.
      const content = pickWords(BOXED_WORDS, 1 + random(7), random);
      const broken = random(3) === 0 ? content.replace(" ", "\n") : content;
      return { ...style, content: broken, font_size: 24 + random(24), width: 30 + random(65) };
    });
    const [pixels] = await renderNatively(buildStrips(elements), drawing);
    for (const at of elements.keys()) {
      const distance = measureCenterDistance(
        pixels,
        size.width,
        at * (size.height / PER_SLIDE),
        size.height / PER_SLIDE,
      );
      result.count += 1;
      result.worst = Math.max(result.worst, distance);
      if (distance > 4) result.off += 1;
    }
  }
  return result;
}

function measureCenterDistance(pixels: Uint8Array, width: number, top: number, height: number): number {
  const found = { left: width, right: -1, top: height, bottom: -1 };
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      const at = ((top + y) * width + x) * 4;
      if (!BOX.every((value, channel) => Math.abs((pixels[at + channel] ?? 0) - value) < 40)) continue;
      found.left = Math.min(found.left, x);
      found.right = Math.max(found.right, x);
      found.top = Math.min(found.top, y);
      found.bottom = Math.max(found.bottom, y);
    }
  }
  const across = (found.left + found.right + 1) / 2 - width / 2;
  const down = (found.top + found.bottom + 1) / 2 - height / 2;
  return Math.max(Math.abs(across), Math.abs(down));
}
