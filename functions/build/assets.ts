// Builds .assets/, the static files of functions/assets and of previews: the reference page, the guides as Markdown, the
// OpenAPI document, what agents read, and scripts and style of the dashboard.
import { createHash } from "node:crypto";
import { cp, mkdir, mkdtemp, readFile, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { build } from "esbuild";
import { writeAgentFiles } from "./agent-files.ts";
import { readAllGuides, readDocumentation } from "./documentation.ts";
import { listExampleFiles } from "./example-files.ts";
import { marks } from "./marks.ts";
import type { OpenApiDocument } from "./page/document.ts";
import { renderPage } from "./page/layout.ts";

const FOLDER = join(import.meta.dirname, "../../.assets");
// Built beside its place and renamed, so that processes that build at the same time disturb each other little.
const folder = await mkdtemp(`${FOLDER}-`);

const document: OpenApiDocument = JSON.parse(await readFile(join(import.meta.dirname, "../openapi.json"), "utf8"));
const { examples } = await readDocumentation();
const guides = await readAllGuides();

await mkdir(join(folder, "docs"), { recursive: true });
const [style, script] = await Promise.all([copyHashed("style.css"), copyHashed("script.js")]);
// Names without .html, which the platform would redirect.
await writeFile(join(folder, "reference-page.txt"), renderPage(document, guides, examples, { style, script }));
await writeFile(join(folder, "reference.json"), JSON.stringify(document));
await mkdir(join(folder, "docs/examples"));
for (const [name, example] of listExampleFiles(document)) {
  await writeFile(join(folder, "docs/examples", name), JSON.stringify(example, null, 2));
}
await writeAgentFiles(folder, document, guides);
for (const { id, title, text } of guides) await writeFile(join(folder, `docs/${id}.md`), `# ${title}\n\n${text}\n`);
await buildDashboard(join(import.meta.dirname, "../workspace"), join(folder, "dashboard/assets"));
await copySlideFonts(join(folder, "dashboard/assets"));
// Put in place of the old folder at once: removing it first would leave pages without a style for as long as that takes.
const old = `${folder}-old`;
await rename(FOLDER, old).catch(() => undefined);
await rename(folder, FOLDER).catch(() => rm(folder, { recursive: true, force: true }));
await rm(old, { recursive: true, force: true });

/** Each file of `scripts` is the script of a page; its folders hold modules. The style is one file. */
async function buildDashboard(from: string, to: string): Promise<void> {
  await build({
    entryPoints: [join(from, "scripts/*.ts"), join(from, "styles/dashboard.css")],
    outdir: to,
    entryNames: "[name]",
    chunkNames: "chunk-[hash]",
    bundle: true,
    // A module that a script imports when it is needed is a file of its own.
    splitting: true,
    minify: true,
    format: "esm",
    target: "es2022",
    legalComments: "none",
    plugins: [marks],
  });
}

/** The fonts of slides with their index, so that the slide editor breaks lines where the renderer does. */
async function copySlideFonts(to: string): Promise<void> {
  await import("./fonts.ts");
  const fonts = join(import.meta.dirname, "../../.fonts");
  await cp(fonts, to, { recursive: true, filter: (source) => !source.endsWith(".stamp") });
  await rename(join(to, "index.json"), join(to, "slide-fonts.json"));
}

/** Copies a file of the page under a name that changes with its content, so that browsers may keep it. */
async function copyHashed(name: string): Promise<string> {
  const bytes = await readFile(join(import.meta.dirname, "page", name));
  const hash = createHash("sha256").update(bytes).digest("hex").slice(0, 12);
  const address = `docs/${hash}-${name}`;
  await writeFile(join(folder, address), bytes);
  return `/${address}`;
}
