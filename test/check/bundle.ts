// Builds the Worker as a deploy would and holds its size and its start-up against a bare Hono Worker's.
import { execFile } from "node:child_process";
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { join, relative } from "node:path";
import { promisify } from "node:util";
import { gzipSync } from "node:zlib";
import { unstable_readConfig as readConfig } from "wrangler";
import { BARE_HONO, EMPTY, honoWithDrivers } from "./baseline.ts";
import { configure, cpuToFirstAnswer, modulesOf } from "./startup.ts";

const GZIP_AT_MOST_KIB = 450;
const CPU_AT_MOST_TIMES = 2;
const ROUNDS = 7;
/** A busy machine slows a large Worker more than a small one, so over the limit is measured on until it is quiet or this often. */
const ROUNDS_AT_MOST = 40;

const ROOT = join(import.meta.dirname, "../..");
const run = promisify(execFile);

interface Built {
  name: string;
  gzipKiB: number;
  wasmKiB: number;
  config: string;
  runs: number[];
}

await mkdir(join(ROOT, ".bench"), { recursive: true });
// Inside the project, so that the generated entries find its packages.
const folder = await mkdtemp(join(ROOT, ".bench/bundle-"));
try {
  process.exitCode = (await check()) ? 0 : 1;
} finally {
  await rm(folder, { recursive: true, force: true });
}

async function check(): Promise<boolean> {
  const {
    main,
    compatibility_date: compatibilityDate,
    compatibility_flags: compatibilityFlags,
  } = readConfig({
    config: join(ROOT, "wrangler.toml"),
  });
  if (!main || !compatibilityDate) throw new Error("wrangler.toml names no main or no compatibility_date");
  const generated = await Promise.all(
    Object.entries({ "bare Hono": BARE_HONO, "Hono and drivers": honoWithDrivers(), empty: EMPTY }).map(write),
  );
  const built: Built[] = [];
  for (const [name, entry] of [["the Worker", main] as const, ...generated]) {
    const out = join(folder, `out-${built.length}`);
    await build(entry, out);
    const modules = await modulesOf(out, `${(entry.split("/").at(-1) ?? "").replace(/\.ts$/, "")}.js`);
    const config = await configure(out, modules, { compatibilityDate, compatibilityFlags });
    built.push({ name, ...(await sizesOf(out, modules)), config, runs: [] });
  }
  await measure(built);
  return judge(built);
}

async function write([name, source]: [string, string]): Promise<readonly [string, string]> {
  const path = join(folder, `${name.replaceAll(" ", "-").toLowerCase()}.ts`);
  await writeFile(path, source);
  return [name, relative(ROOT, path)];
}

/** No flags of our own: whether it is minified is up to wrangler.toml, as in a deploy. */
async function build(entry: string, out: string): Promise<void> {
  const wrangler = join(ROOT, "node_modules/wrangler/bin/wrangler.js");
  await run(process.execPath, [wrangler, "deploy", entry, "--env=", "--dry-run", "--outdir", out], {
    cwd: ROOT,
    env: { ...process.env, WRANGLER_SEND_METRICS: "false", CI: "1" },
  });
}

async function sizesOf(out: string, modules: string[]): Promise<{ gzipKiB: number; wasmKiB: number }> {
  const sizes = await Promise.all(
    modules.map(async (file) => ({
      wasm: file.endsWith(".wasm"),
      kib: gzipSync(await readFile(join(out, file))).length / 1024,
    })),
  );
  const sum = (wasm: boolean) => sizes.filter((size) => size.wasm === wasm).reduce((total, { kib }) => total + kib, 0);
  return { gzipKiB: sum(false), wasmKiB: sum(true) };
}

/** Rounds, not blocks: what slows the machine for a while slows each of them alike. */
async function measure(built: Built[]): Promise<void> {
  for (let round = 0; round < ROUNDS_AT_MOST; round++) {
    if (round >= ROUNDS && !(timesOf(built) > CPU_AT_MOST_TIMES)) return;
    for (const { config, runs } of built) {
      const ms = await cpuToFirstAnswer(config);
      if (ms !== null) runs.push(ms);
    }
    for (const { runs } of built) runs.sort((a, b) => a - b);
  }
}

/** The least of several runs: whatever else the machine does can only add to it. What workerd itself costs is taken off. */
function cpuOf(one: Built, built: Built[]): number {
  const empty = built.at(-1);
  return (one.runs[0] ?? Number.NaN) - (empty?.runs[0] ?? Number.NaN);
}

function timesOf(built: Built[]): number {
  const [worker, , drivers] = built;
  if (!worker || !drivers) throw new Error("nothing was built");
  return cpuOf(worker, built) / cpuOf(drivers, built);
}

function judge(built: Built[]): boolean {
  const [worker] = built;
  if (!worker) throw new Error("nothing was built");
  console.table(
    Object.fromEntries(
      built.slice(0, -1).map((one) => [
        one.name,
        {
          "gzip KiB": round(one.gzipKiB),
          "wasm KiB": round(one.wasmKiB),
          "start-up CPU ms": round(cpuOf(one, built)),
        },
      ]),
    ),
  );
  const times = timesOf(built);
  const small = worker.gzipKiB <= GZIP_AT_MOST_KIB;
  const quick = times <= CPU_AT_MOST_TIMES;
  console.log(
    `size      ${round(worker.gzipKiB)} of ${GZIP_AT_MOST_KIB} KiB gzip without wasm: ${small ? "ok" : "TOO LARGE"}`,
  );
  if (Number.isNaN(times)) console.log("start-up  not measured: this system does not tell the CPU time of a process");
  else {
    const verdict = quick ? "ok" : "TOO SLOW";
    console.log(
      `start-up  ${times.toFixed(2)} times Hono and drivers, at most ${CPU_AT_MOST_TIMES}, ${worker.runs.length} rounds: ${verdict}`,
    );
  }
  return small && (quick || Number.isNaN(times));
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}
