// Databases that a new state starts from, in node_modules/.cache: a copy takes a tenth of the time of creating one. They are built
// again when the migrations, the generated library or the engine change.
import { fork } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { cp, readdir, readFile, rename, rm } from "node:fs/promises";
import { join } from "node:path";

const ROOT = join(import.meta.dirname, "../../..");
export const TEMPLATES = join(ROOT, "node_modules/.cache/local-database");
const BUILD = join(import.meta.dirname, "build-templates.ts");
/** Files whose content decides if a template is still valid. */
const SOURCES = [
  ...["drizzle/migrations", "test/local/corpus", "test/local/template", "test/local/embedding-model.ts"],
  ...["functions/commands/import-viral.ts", "lib/queries/viral-imports.ts"],
  ...["pglite", "pglite-pgvector"].map((name) => `node_modules/@electric-sql/${name}/package.json`),
];

/** `migrated` has the schema, `library` also the viral library of the local stack. */
export type TemplateKind = "migrated" | "library";

export async function findTemplateFolder(): Promise<string> {
  const hash = createHash("sha256");
  for (const path of (await Promise.all(SOURCES.map(listFiles))).flat()) {
    hash.update(path).update(await readFile(join(ROOT, path)));
  }
  return join(TEMPLATES, hash.digest("hex").slice(0, 16));
}

/** Builds the templates that are missing, in a process of its own. */
export async function buildTemplates(): Promise<void> {
  // The child must not inherit the flags of a test runner.
  const child = fork(BUILD, { execArgv: [], stdio: ["ignore", "ignore", "pipe", "ipc"] });
  let errors = "";
  child.stderr?.setEncoding("utf8").on("data", (text: string) => {
    errors += text;
  });
  const code = await new Promise((resolve) => child.once("close", resolve));
  if (code !== 0) throw new Error(`The database of the local stack could not be prepared.\n${errors}`);
}

/** Copies a template to the data directory, unless that exists. */
export async function copyTemplate(kind: TemplateKind, dataDir: string): Promise<void> {
  if (existsSync(dataDir)) return;
  const template = join(await findTemplateFolder(), kind);
  if (!existsSync(template)) await buildTemplates();
  // In one step: a copy that was interrupted would be a damaged database.
  const part = `${dataDir}.part`;
  await rm(part, { recursive: true, force: true });
  await cp(template, part, { recursive: true });
  await rename(part, dataDir);
}

async function listFiles(path: string): Promise<string[]> {
  if (/\.\w+$/.test(path)) return [path];
  const entries = await readdir(join(ROOT, path), { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name).slice(ROOT.length + 1))
    .sort();
}
