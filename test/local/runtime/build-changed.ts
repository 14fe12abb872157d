// Builds the Workers into .built/workers if their code or configuration changed: a process of build-workers.ts.
import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { readdirSync } from "node:fs";
import { readFile, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { RUNTIME_OPTIONS, type RuntimeOptions, WORKERS } from "./build-workers.ts";

const ROOT = join(import.meta.dirname, "../../..");
const STAMP = join(ROOT, ".built/workers/sources");
/** Everything that ends up in a Worker, and what builds it. */
const SOURCES = ["functions", "lib", "drizzle/schema", "test/local/runtime", "package-lock.json", "wrangler.toml"];

const run = promisify(execFile);

const sources = await hashSources();
if ((await readFile(STAMP, "utf8").catch(() => null)) !== sources) await build(sources);

async function build(sources: string): Promise<void> {
  await rm(STAMP, { force: true });
  // Loaded here, because they take most of the time of a process that has nothing to build.
  const [wrangler, { bundleWorker }] = await Promise.all([import("wrangler"), import("./bundle-worker.ts")]);
  const workers = WORKERS.map((worker) => ({
    ...worker,
    settings: wrangler.unstable_readConfig({ config: worker.config }),
  }));
  const commands = createCommands();
  const bundle = async ({ config, folder, settings }: (typeof workers)[number]) => {
    const { main = "", alias = {}, minify = false, keep_names: keepNames = true } = settings;
    // The aliases may name what the command builds.
    if (Object.keys(alias).length > 0) await commands.run(settings.build.command);
    await bundleWorker({ main, root: dirname(config), alias, minify, keepNames }, folder);
    await commands.run(settings.build.command);
  };
  await Promise.all(workers.map(bundle));
  const options = workers.map(({ config, settings }) => readRuntimeOptions(wrangler, config, settings));
  await writeFile(RUNTIME_OPTIONS, JSON.stringify(options));
  await writeFile(STAMP, sources);
}

type Wrangler = typeof import("wrangler");
type Settings = ReturnType<Wrangler["unstable_readConfig"]>;

/** Reads the options of Miniflare. A build stores them, because loading wrangler takes most of the time of a start. */
function readRuntimeOptions(wrangler: Wrangler, config: string, settings: Settings): RuntimeOptions {
  const { workerOptions } = wrangler.unstable_getMiniflareWorkerOptions(config, "");
  // Without the settings of .dev.vars, which belong to `npm run dev`.
  const options = { ...workerOptions, name: settings.name, bindings: settings.vars };
  return { options, consumers: settings.queues.consumers ?? [] } as RuntimeOptions;
}

/** Runs each [build] command once, one after another: the files of one are those that another copies. */
function createCommands() {
  const results = new Map<string, Promise<unknown>>();
  let last: Promise<unknown> = Promise.resolve();
  return {
    run(command: string | undefined): Promise<unknown> {
      if (command === undefined) return Promise.resolve();
      const known = results.get(command);
      if (known) return known;
      const [program = "", ...args] = command.split(" ");
      last = last.then(() => run(program === "node" ? process.execPath : program, args, { cwd: ROOT }));
      results.set(command, last);
      return last;
    },
  };
}

async function hashSources(): Promise<string> {
  const hash = createHash("sha256").update(ROOT);
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
