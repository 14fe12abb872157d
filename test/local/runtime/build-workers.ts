// Builds the Workers as a deploy does, into .built/workers; again only when their code or configuration changed.
import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { readdirSync } from "node:fs";
import { mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { WRANGLER_ENVIRONMENT } from "../wrangler-environment.ts";

const ROOT = join(import.meta.dirname, "../../..");
const WRANGLER = join(ROOT, "node_modules/wrangler/bin/wrangler.js");
const run = promisify(execFile);

/** Everything that ends up in a Worker. */
const SOURCES = ["functions", "lib", "drizzle/schema", "package-lock.json", "wrangler.toml"];

export interface BuiltWorker {
  config: string;
  /** The folder of its modules. */
  folder: string;
}

/** The API comes first. */
export const WORKERS: readonly BuiltWorker[] = [
  "",
  "assets",
  "rendering",
  "media",
  "workspace",
  "mcp",
  "simulator",
].map((name) => ({
  config: join(ROOT, name === "" ? "." : `functions/${name}`, "wrangler.toml"),
  folder: join(ROOT, ".built/workers", name || "api"),
}));

/** One build at a time in this process. */
let building: Promise<void> = Promise.resolve();

export function buildWorkers(): Promise<void> {
  building = building.catch(() => undefined).then(buildChanged);
  return building;
}

async function buildChanged(): Promise<void> {
  const stamp = join(ROOT, ".built/workers/sources");
  const sources = await hashSources();
  if ((await readFile(stamp, "utf8").catch(() => null)) === sources) return;
  await rm(stamp, { force: true });
  await Promise.all(WORKERS.map(buildWorker));
  await writeFile(stamp, sources);
}

async function buildWorker({ config, folder }: BuiltWorker): Promise<void> {
  // Not emptied: another process of this checkout may read it, or build the same files.
  await mkdir(folder, { recursive: true });
  await run(process.execPath, [WRANGLER, "deploy", "-c", config, "--env=", "--dry-run", "--outdir", folder], {
    cwd: ROOT,
    env: { ...process.env, ...WRANGLER_ENVIRONMENT },
  });
}

async function hashSources(): Promise<string> {
  const hash = createHash("sha256");
  for (const path of SOURCES.flatMap(listFiles)) hash.update(path).update(await readFile(join(ROOT, path)));
  return hash.digest("hex");
}

function listFiles(path: string): string[] {
  if (path.includes(".")) return [path];
  return readdirSync(join(ROOT, path), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && !entry.parentPath.includes(".wrangler"))
    .map(({ parentPath, name }) => join(parentPath, name).slice(ROOT.length + 1))
    .sort();
}
