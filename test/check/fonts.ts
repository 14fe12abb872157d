// Puts the fonts that slides are drawn with into .fonts/, from their packages, with an index of the characters in each file.
import { createHash } from "node:crypto";
import { access, copyFile, mkdir, mkdtemp, readdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type FontFamily, writeIndex } from "../../lib/drawing/font-index.ts";
import { characters } from "./woff2.ts";

const ROOT = join(import.meta.dirname, "../..");
const FOLDER = join(ROOT, ".fonts");
/** Twemoji's own file name says neither family nor version. */
const EMOJI = { family: "Twemoji", from: "twemoji-colr-font", file: /^twemoji\.woff2$/ };
/** Bold where there is a choice: thin strokes drown on a photo. Latin, Greek and Cyrillic are Inter's, the rest is Noto's. */
const TEXT = [
  { family: "Inter", from: "@fontsource/inter", file: /^inter-[a-z-]+-700-normal\.woff2$/ },
  { family: "Noto Sans JP", from: "@fontsource/noto-sans-jp", file: /^noto-sans-jp-\d+-700-normal\.woff2$/ },
  { family: "Noto Sans KR", from: "@fontsource/noto-sans-kr", file: /^noto-sans-kr-\d+-700-normal\.woff2$/ },
  { family: "Noto Sans SC", from: "@fontsource/noto-sans-sc", file: /^noto-sans-sc-\d+-700-normal\.woff2$/ },
  {
    family: "Noto Sans Symbols",
    from: "@fontsource/noto-sans-symbols",
    file: /^noto-sans-symbols-symbols-700-normal\.woff2$/,
  },
  // Its only weight.
  {
    family: "Noto Sans Symbols 2",
    from: "@fontsource/noto-sans-symbols-2",
    file: /^noto-sans-symbols-2-(symbols|math)-400-normal\.woff2$/,
  },
];
const SOURCES = [...TEXT, EMOJI];
const INDEX = "index.json";

const stamp = `${await stampOf()}.stamp`;
if (!(await exists(join(FOLDER, stamp)))) await build();

/** Changes with the packages and with what is made of them. */
async function stampOf(): Promise<string> {
  const parts = SOURCES.map(({ from }) => join(ROOT, "node_modules", from, "package.json"));
  const own = [import.meta.filename, join(import.meta.dirname, "woff2.ts"), join(ROOT, "lib/drawing/font-index.ts")];
  const hash = createHash("sha256");
  for (const path of [...parts, ...own]) hash.update(await readFile(path));
  return hash.digest("hex").slice(0, 16);
}

/** In a folder of its own first: whoever runs beside finds either all of it or nothing. */
async function build(): Promise<void> {
  const made = await mkdtemp(join(ROOT, ".fonts-"));
  const families: FontFamily[] = [];
  for (const source of SOURCES) families.push(await copy(source, made));
  await writeFile(join(made, INDEX), writeIndex(families));
  await writeFile(join(made, stamp), "");
  await rm(FOLDER, { recursive: true, force: true });
  await rename(made, FOLDER).catch(() => rm(made, { recursive: true, force: true }));
}

async function copy({ family, from, file }: (typeof SOURCES)[number], to: string): Promise<FontFamily> {
  const folder = join(ROOT, "node_modules", from, family === EMOJI.family ? "." : "files");
  const names = (await readdir(folder)).filter((name) => file.test(name)).sort(basicFirst);
  if (names.length === 0) throw new Error(`${from} holds no file like ${file}`);
  await mkdir(to, { recursive: true });
  const files = [];
  for (const name of names) {
    await copyFile(join(folder, name), join(to, name));
    files.push({ name, characters: characters(await readFile(join(folder, name))) });
  }
  return { family, files };
}

/** Where files overlap, the earlier one serves, and one file with all of ASCII is better than a bit of each. */
function basicFirst(a: string, b: string): number {
  const rank = (name: string) => (name.startsWith("inter-latin-7") ? 0 : 1);
  return rank(a) - rank(b) || a.localeCompare(b, "en", { numeric: true });
}

async function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}
