// What a viewer sees: slides beside the browser's rendering, colours beside ImageMagick's, layouts and boxes.
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { decodeJpeg } from "../../lib/rendering/decode/jpeg.ts";
import { selectFonts } from "../../lib/rendering/font-selection.ts";
import { resolveRenderOptions } from "../../lib/rendering/settings.ts";
import { type Browser, comparePixels, decodePixels, openBrowser } from "./browser.ts";
import { buildSlidePage } from "./browser-slide.ts";
import { compareColors } from "./color-comparison.ts";
import { type GalleryPair, type GallerySlide, renderContactSheet } from "./gallery.ts";
import { findLayoutProblems, type GeneratedCase, layOutGeneratedSlides } from "./generated-slides.ts";
import type { BenchContext, Table } from "./section.ts";
import { compareScripts, type Drawing, measureBoxes } from "./text-comparison.ts";

const RESULTS = join(import.meta.dirname, "../../.bench");
const MAX_COLOR_DIFFERENCE = 3;
const MAX_SCRIPT_DIFFERENCE = 2;

export interface QualityInput {
  drawing: Drawing;
  slides: GallerySlide[];
  /** Returns a JPEG. */
  render: (slide: GallerySlide) => Promise<Uint8Array>;
  captionFont: Uint8Array;
}

export async function measureQuality(input: QualityInput, context: BenchContext): Promise<Table[]> {
  const { short, log, folder, onCleanup } = context;
  const { drawing } = input;
  const browser = await openBrowser();
  if (browser) onCleanup(() => browser.close());
  else log("no Chromium is installed: slides are not compared with a browser");
  const generated = await layOutGeneratedSlides(drawing.engine, drawing.fonts);
  const tables = [
    await countLayoutProblems(generated, drawing),
    await countBoxes(drawing, short),
    await listColors(folder),
  ];
  log("generated slides, boxes and colours measured");
  if (browser) tables.push(await listScripts(drawing, browser, short));
  tables.push(await renderGallery(input, generated, browser));
  log("all slides on one sheet: .bench/slides.png");
  return tables;
}

async function countLayoutProblems(cases: GeneratedCase[], { engine, fonts }: Drawing): Promise<Table> {
  const problems: string[] = [];
  for (const one of cases) problems.push(...(await findLayoutProblems(one, engine, fonts)));
  const shortened = cases.filter(({ layout }) => layout.some(({ content }) => content.endsWith("…"))).length;
  return {
    counted: true,
    title: "Generated slides: 5 ratios x 4 sizes x 3 lengths x 6 languages",
    note: "A problem is a heading that overlaps its body, a text outside of the safe area, or one below 32 px.",
    rows: [{ slides: cases.length, problems: problems.length, "shortened texts": shortened }],
    broken: problems,
  };
}

async function countBoxes(drawing: Drawing, short: boolean): Promise<Table> {
  const { count, worst, off } = await measureBoxes(drawing, short ? 50 : 500);
  return {
    counted: true,
    title: "Random boxed texts",
    rows: [{ texts: count, "largest distance from the point, px": worst, "off by more than 4 px": off }],
    broken: off > 0 ? [`${off} boxed texts are off their point by more than 4 px`] : [],
  };
}

async function listColors(folder: string): Promise<Table> {
  const results = await compareColors(folder);
  return {
    title: "Colours of images with profiles, beside ImageMagick's conversion to sRGB",
    note: results ? "Largest and mean difference of a channel, of 255." : "ImageMagick is not installed.",
    rows: (results ?? []).map(({ profile, colors, worst, mean }) => ({ profile, colors, worst, mean })),
    broken: (results ?? [])
      .filter(({ worst }) => worst > MAX_COLOR_DIFFERENCE)
      .map(({ profile, worst }) => `${profile} differs by ${worst}`),
  };
}

async function listScripts(drawing: Drawing, browser: Browser, short: boolean): Promise<Table> {
  const results = await compareScripts(drawing, browser, short ? 10 : 50);
  return {
    title: "Texts of each script beside the browser's, percent of pixels that differ visibly",
    note: "Texts over 2 % have other lines: we break at spaces, where the browser also breaks words of Thai and Chinese.",
    rows: results.map(({ script, texts, mean, worst, over, overInSameLines }) => ({
      script,
      texts,
      mean: Number(mean.toFixed(2)),
      worst: Number(worst.toFixed(2)),
      "over 2 %": over,
      "over 2 % in the same lines": overInSameLines,
    })),
    broken: results
      .filter(({ mean, overInSameLines }) => mean > MAX_SCRIPT_DIFFERENCE || overInSameLines > 0)
      .map(({ script }) => `${script} differs`),
  };
}

/** Names of the generated slides in the gallery. */
const SHOWN = ["9:16 default en 60+200", "4:5 default ar 60+200", "1:1 small ja 60+200", "16:9 default th 24+0"];

async function renderGallery(
  { drawing, slides, render, captionFont }: QualityInput,
  generated: GeneratedCase[],
  browser: Browser | null,
): Promise<Table> {
  const background = slides[0]?.slide.image_url ?? null;
  const shown = generated
    .filter(({ name }) => SHOWN.includes(name))
    .map(({ name, settings, layout }) => ({
      name: `generated ${name}`,
      slide: { image_url: background, text_elements: layout },
      settings,
    }));
  const pairs: GalleryPair[] = [];
  for (const slide of [...slides, ...shown]) {
    const bytes = await render(slide);
    pairs.push({
      name: slide.name,
      bytes,
      browser: browser && (await compareWithBrowser(slide, bytes, drawing, browser)),
    });
  }
  await mkdir(RESULTS, { recursive: true });
  await writeFile(join(RESULTS, "slides.png"), await renderContactSheet(pairs, captionFont));
  const differences = pairs.flatMap(({ name, browser: found }) =>
    found ? [{ name, difference: found.difference }] : [],
  );
  differences.sort((a, b) => b.difference - a.difference);
  return {
    title: `Gallery of ${pairs.length} slides beside the browser's rendering: .bench/slides.png`,
    note: "Percent of the pixels of a slide that differ by more than 64 of 255; the five largest.",
    rows: differences
      .slice(0, 5)
      .map(({ name, difference }) => ({ slide: name, difference: Number(difference.toFixed(2)) })),
    broken: [],
  };
}

async function compareWithBrowser(
  { slide, settings }: GallerySlide,
  jpeg: Uint8Array,
  { fonts }: Drawing,
  browser: Browser,
): Promise<NonNullable<GalleryPair["browser"]>> {
  const { canvas } = resolveRenderOptions(settings);
  const text = selectFonts(
    slide.text_elements.map(({ content }) => content),
    await fonts.index(),
  );
  const pixels = new Uint8Array(canvas.width * canvas.height * 4);
  decodeJpeg(jpeg, { crop: { left: 0, top: 0, ...canvas }, out: canvas }, pixels);
  const background = slide.grid_images?.length ? "#ffffff" : `rgb(${[...pixels.subarray(0, 3)].join(" ")})`;
  const page = buildSlidePage(slide, settings, { ...text, faces: await fonts.load(text.faces) }, background);
  const bytes = await browser.render(page, canvas);
  const theirs = await decodePixels(bytes, canvas);
  return { bytes, difference: comparePixels(pixels, theirs, canvas.width, 0, canvas.height) };
}
