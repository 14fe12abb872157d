// `npm run bench [-- --short] [section ...]`: a local world and a Worker of its own, tables here and results in .bench/.
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { performance } from "node:perf_hooks";
import { parseArgs } from "node:util";
import { startWorker } from "../local/worker.ts";
import { dotenv, startWorld } from "../local/world.ts";
import analyticsAtScale from "./analytics-at-scale.ts";
import { drawChart } from "./chart.ts";
import drawing from "./drawing.ts";
import hourOfSpeech from "./hour-of-speech.ts";
import { freePort } from "./port.ts";
import postsAtScale from "./posts-at-scale.ts";
import publishingAtScale from "./publishing-at-scale.ts";
import roundTrips from "./round-trips.ts";
import search from "./search.ts";
import type { Context, Section, Table } from "./section.ts";
import { printTable } from "./table.ts";
import throughput from "./throughput.ts";
import verification from "./verification.ts";

/** By the names of their files, in the order they run. */
const SECTIONS: Record<string, Section> = {
  "round-trips": roundTrips,
  throughput,
  "posts-at-scale": postsAtScale,
  "publishing-at-scale": publishingAtScale,
  "analytics-at-scale": analyticsAtScale,
  search,
  "hour-of-speech": hourOfSpeech,
  drawing,
  verification,
};
const RESULTS = join(import.meta.dirname, "../../.bench");

const { values, positionals } = parseArgs({
  options: { short: { type: "boolean", default: false } },
  allowPositionals: true,
});
const unknown = positionals.filter((name) => !(name in SECTIONS));
if (unknown.length > 0) {
  console.error(`No section ${unknown.join(", ")}. There are: ${Object.keys(SECTIONS).join(", ")}`);
  process.exit(2);
}
const say = (line: string) => console.log(`${(performance.now() / 1000).toFixed(1).padStart(6)} s  ${line}`);
const closers: (() => Promise<unknown>)[] = [];
let opening: Promise<Context> | null = null;
let cleaning: Promise<void> | null = null;
let interrupted = false;

for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, () => void interrupt());
let broken = 1;
try {
  broken = await bench();
} catch (error) {
  // Once everything is being closed, whatever was being measured fails.
  if (!interrupted) console.error(error);
} finally {
  await cleanUp();
}
process.exit(interrupted ? 130 : broken === 0 ? 0 : 1);

/** How many promises were not kept. */
async function bench(): Promise<number> {
  const results: { title: string; tables: Table[] }[] = [];
  opening = open();
  const context = await opening;
  for (const [name, section] of Object.entries(SECTIONS)) {
    if (positionals.length > 0 && !positionals.includes(name)) continue;
    say(section.title);
    const tables = await section.run({ ...context, say: (line) => say(`  ${line}`) });
    results.push({ title: section.title, tables });
    console.log(`\n${tables.map(printTable).join("\n\n\n")}\n`);
  }
  const tables = results.flatMap((section) => section.tables);
  await write(results, tables);
  const judged = values.short ? tables.filter(({ counted }) => counted) : tables;
  return judged.reduce((count, table) => count + table.broken.length, 0);
}

async function open(): Promise<Context> {
  const folder = await mkdtemp(join(tmpdir(), "partner-api-bench-"));
  // What a section opens while everything is being closed is picked up by the same round.
  const atEnd = (close: () => Promise<unknown>) => void closers.push(close);
  atEnd(() => rm(folder, { recursive: true, force: true }));
  const world = await startWorld({ folder: join(folder, "world"), fresh: true, say });
  atEnd(() => world.close());
  const varsFile = join(folder, "worker.env");
  await writeFile(varsFile, dotenv(world.vars), { mode: 0o600 });
  say("worker");
  const worker = await startWorker({ port: await freePort(), folder, varsFile });
  atEnd(() => worker.close());
  return { world, worker, folder, short: values.short, say, atEnd };
}

async function write(sections: { title: string; tables: Table[] }[], tables: Table[]): Promise<void> {
  await mkdir(RESULTS, { recursive: true });
  const about = { takenAt: new Date().toISOString(), node: process.version, short: values.short };
  await writeFile(join(RESULTS, "results.json"), `${JSON.stringify({ ...about, sections }, null, 2)}\n`);
  for (const table of tables) if (table.chart) await writeFile(join(RESULTS, table.chart.file), drawChart(table));
  console.log("also in .bench/results.json, with charts as .svg beside it");
}

/** What is being opened cannot be closed yet, so that is waited for. */
async function interrupt(): Promise<void> {
  interrupted = true;
  await opening?.catch(() => undefined);
  await cleanUp();
  process.exit(130);
}

function cleanUp(): Promise<void> {
  cleaning ??= closeAll();
  return cleaning;
}

/** The last thing opened is closed first, and one that fails to close does not keep the others open. */
async function closeAll(): Promise<void> {
  for (let close = closers.pop(); close; close = closers.pop()) {
    await close().catch((error) => console.error("While closing:", error));
  }
}
