// The renderer's fonts in the browser: the same files, chosen by the same index, and widths measured in them.
import { type FontFace as FontFile, type FontIndex, readFontIndex } from "../../../../lib/rendering/font-index.ts";
import { type FontSelection, selectFonts } from "../../../../lib/rendering/font-selection.ts";
import { buildFontStyle } from "../../../../lib/rendering/font-style.ts";
import { createTextLayouter, type TextLayouter } from "../../../../lib/rendering/text-layout.ts";

const FOLDER = "/dashboard/assets";
const MEASURED_FONT_SIZE = 100;
const SPACE = 0x20;

export interface LoadedFonts extends Pick<FontSelection, "texts" | "language" | "missing"> {
  /** For `font-family`. */
  families: string;
  layouter: TextLayouter;
}

let index: Promise<FontIndex> | null = null;
const faces = new Map<string, Promise<unknown>>();
const layouters = new Map<string, TextLayouter>();

/** Loads the files that have the characters of these texts. */
export async function loadFonts(contents: readonly string[]): Promise<LoadedFonts> {
  index ??= fetchIndex();
  const selected = selectFonts([...contents], await index);
  await Promise.all(selected.faces.map(loadFace));
  // The first family gives a line its height: in the renderer it is the first one that the text uses.
  const used = selected.families.filter((family) => selected.faces.some((face) => face.family === family));
  // The pages themselves name Inter in weights that are not loaded here.
  const families = buildFontStyle(used.map(getOwnName)).fontFamily;
  const layouter = layouters.get(families) ?? createTextLayouter(measureIn(families));
  layouters.set(families, layouter);
  const { texts, language, missing } = selected;
  return { texts, language, missing, families, layouter };
}

async function fetchIndex(): Promise<FontIndex> {
  const response = await fetch(`${FOLDER}/slide-fonts.json`);
  if (!response.ok) throw new Error("The fonts could not be loaded. Reload the page.");
  return readFontIndex(await response.text());
}

function getOwnName(family: string): string {
  return `Slide ${family}`;
}

function loadFace({ family, file, ranges }: FontFile): Promise<unknown> {
  // Browsers take the height of a line from the first font with a space: without one it would be another font's.
  const covered = [...ranges, [SPACE, SPACE] as const];
  const unicodeRange = covered.map(([from, to]) => `U+${from.toString(16)}-${to.toString(16)}`).join(",");
  const key = `${file} ${unicodeRange}`;
  const known = faces.get(key);
  if (known) return known;
  const face = new FontFace(getOwnName(family), `url(${FOLDER}/${file})`, { weight: "700", unicodeRange });
  document.fonts.add(face);
  // A file that cannot be loaded leaves the browser's own font, which is better than no text.
  const loading = face.load().catch(() => faces.delete(key));
  faces.set(key, loading);
  return loading;
}

function measureIn(families: string): (texts: string[]) => Promise<number[]> {
  const context = document.createElement("canvas").getContext("2d");
  return async (texts) => {
    if (!context) return texts.map((text) => text.length / 2);
    context.font = `700 ${MEASURED_FONT_SIZE}px ${families}`;
    return texts.map((text) => context.measureText(text).width / MEASURED_FONT_SIZE);
  };
}
