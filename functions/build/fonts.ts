// Builds .fonts/: copies the fonts for slides from their packages and writes an index of the characters in each file.
import { createHash } from "node:crypto";
import { access, copyFile, mkdir, mkdtemp, readdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type FontFamily, writeFontIndex } from "../../lib/rendering/font-index.ts";
import { readCharacters, readSequences } from "./font-characters.ts";

const ROOT = join(import.meta.dirname, "../..");
const FOLDER = join(ROOT, ".fonts");
/** Twemoji's file name contains neither family nor version. */
const EMOJI_FONT = { family: "Twemoji", from: "twemoji-colr-font", file: /^twemoji\.woff2$/ };
/** The scripts that a font of their own covers, each in one file. */
const SCRIPTS = [
  ...["Arabic", "Hebrew", "Devanagari", "Tamil", "Thai", "Georgian", "Armenian", "Ethiopic", "Gujarati", "Gurmukhi"],
  ...["Kannada", "Khmer", "Lao", "Malayalam", "Myanmar", "Oriya", "Sinhala", "Telugu"],
];
/** Bold if available, because thin strokes are illegible on photos. Inter covers Latin, Greek and Cyrillic, Noto the rest. */
const TEXT_FONTS = [
  { family: "Inter", from: "@fontsource/inter", file: /^inter-[a-z-]+-700-normal\.woff2$/ },
  // The phonetic letters that Inter lacks.
  { family: "Noto Sans", from: "@fontsource/noto-sans", file: /^noto-sans-latin-ext-700-normal\.woff2$/ },
  { family: "Noto Sans JP", from: "@fontsource/noto-sans-jp", file: /^noto-sans-jp-\d+-700-normal\.woff2$/ },
  { family: "Noto Sans KR", from: "@fontsource/noto-sans-kr", file: /^noto-sans-kr-\d+-700-normal\.woff2$/ },
  { family: "Noto Sans SC", from: "@fontsource/noto-sans-sc", file: /^noto-sans-sc-\d+-700-normal\.woff2$/ },
  { family: "Noto Sans TC", from: "@fontsource/noto-sans-tc", file: /^noto-sans-tc-\d+-700-normal\.woff2$/ },
  // The renderer's shaper does not form the conjuncts with ra of Noto Sans Bengali.
  { family: "Anek Bangla", from: "@fontsource/anek-bangla", file: /^anek-bangla-bengali-700-normal\.woff2$/ },
  ...SCRIPTS.map((script) => {
    const name = `noto-sans-${script.toLowerCase()}`;
    const file = new RegExp(`^${name}-${script.toLowerCase()}-700-normal\\.woff2$`);
    return { family: `Noto Sans ${script}`, from: `@fontsource/${name}`, file };
  }),
  {
    family: "Noto Sans Symbols",
    from: "@fontsource/noto-sans-symbols",
    file: /^noto-sans-symbols-symbols-700-normal\.woff2$/,
  },
  // The only weight available.
  {
    family: "Noto Sans Symbols 2",
    from: "@fontsource/noto-sans-symbols-2",
    file: /^noto-sans-symbols-2-(symbols|math)-400-normal\.woff2$/,
  },
  // Letters with marks that are in no other file, and rare punctuation.
  { family: "DejaVu Sans", from: "@fontsource/dejavu-sans", file: /^dejavu-sans-latin-700-normal\.woff2$/ },
  // The only weight available.
  { family: "Noto Sans Math", from: "@fontsource/noto-sans-math", file: /^noto-sans-math-latin-400-normal\.woff2$/ },
];
const SOURCES = [...TEXT_FONTS, EMOJI_FONT];
/** Characters that a file has, but does not render well. */
const OMITTED = [
  // The acute accent of Russian stress stands beside the letter.
  { file: /^inter-cyrillic-700/, characters: /\u0301/ },
  // A keycap covers its letter.
  { file: /^noto-sans-symbols/, characters: /\u20e3/ },
  // Letters are thinner than those of the other fonts.
  { file: /^noto-sans-symbols-2-math/, characters: /\p{L}/u },
  // Emoji are pictures, with or without a mark.
  { file: /^dejavu/, characters: /\p{Emoji_Presentation}/u },
  // Styled letters are rendered as plain ones, all of a word alike.
  { file: /^(dejavu|noto-sans-math)/, characters: /[\u{1d400}-\u{1d7ff}]|(?=\p{L})[\u2100-\u214f]/u },
];
const INDEX = "index.json";

const stamp = `${await computeStamp()}.stamp`;
if (!(await exists(join(FOLDER, stamp)))) await buildFonts();

/** A hash of the packages and of the code that builds the index. */
async function computeStamp(): Promise<string> {
  const parts = SOURCES.map(({ from }) => join(ROOT, "node_modules", from, "package.json"));
  const own = [
    import.meta.filename,
    join(import.meta.dirname, "font-characters.ts"),
    join(ROOT, "lib/rendering/font-index.ts"),
  ];
  const hash = createHash("sha256");
  for (const path of [...parts, ...own]) hash.update(await readFile(path));
  return hash.digest("hex").slice(0, 16);
}

/** Builds in a temporary folder and renames it, so that concurrent processes see a complete folder or none. */
async function buildFonts(): Promise<void> {
  const temporary = await mkdtemp(join(ROOT, ".fonts-"));
  const families: FontFamily[] = [];
  for (const source of SOURCES) families.push(await copyFontFiles(source, temporary));
  await writeFile(join(temporary, INDEX), writeFontIndex(families));
  await writeFile(join(temporary, stamp), "");
  await rm(FOLDER, { recursive: true, force: true });
  await rename(temporary, FOLDER).catch(() => rm(temporary, { recursive: true, force: true }));
}

async function copyFontFiles({ family, from, file }: (typeof SOURCES)[number], to: string): Promise<FontFamily> {
  const folder = join(ROOT, "node_modules", from, family === EMOJI_FONT.family ? "." : "files");
  const names = (await readdir(folder)).filter((name) => file.test(name)).sort(compareFontFiles);
  if (names.length === 0) throw new Error(`${from} contains no file that matches ${file}`);
  await mkdir(to, { recursive: true });
  const files = [];
  for (const name of names) {
    await copyFile(join(folder, name), join(to, name));
    const characters = readCharacters(await readFile(join(folder, name)));
    files.push({ name, characters: characters.filter((code) => !isOmitted(name, String.fromCodePoint(code))) });
  }
  if (family !== EMOJI_FONT.family) return { family, files };
  return { family, files, sequences: readSequences(await readFile(join(folder, names[0] ?? ""))) };
}

function isOmitted(name: string, character: string): boolean {
  return OMITTED.some(({ file, characters }) => file.test(name) && characters.test(character));
}

/** The first file that contains a character is used, so the file with all of ASCII comes first. */
function compareFontFiles(a: string, b: string): number {
  const rank = (name: string) => (name.startsWith("inter-latin-7") ? 0 : 1);
  return rank(a) - rank(b) || a.localeCompare(b, "en", { numeric: true });
}

async function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}
