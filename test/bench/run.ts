// `npm run bench [-- --short] [section ...]`: starts a local stack and a Worker, prints tables, writes results to .bench/.
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { performance } from "node:perf_hooks";
import { parseArgs } from "node:util";
import { findFreePort } from "../local/free-port.ts";
import { formatDotenv, startLocalStack } from "../local/stack.ts";
import { startWorker } from "../local/worker.ts";
import analyticsAtScale from "./analytics-at-scale.ts";
import { renderChart } from "./chart.ts";
import costlyRequests from "./costly-requests.ts";
import dueAtOnce from "./due-at-once.ts";
import eventsAtScale from "./events-at-scale.ts";
import { formatTable } from "./format-table.ts";
import postsAtScale from "./posts-at-scale.ts";
import publishingAtScale from "./publishing-at-scale.ts";
import rendering from "./rendering.ts";
import requestCpu from "./request-cpu.ts";
import roundTrips from "./round-trips.ts";
import search from "./search.ts";
import type { BenchContext, Section, Table } from "./section.ts";
import singleClaims from "./single-claims.ts";
import sweepAtScale from "./sweep-at-scale.ts";
import throughput from "./throughput.ts";
import verification from "./verification.ts";
import webhooks from "./webhooks.ts";

/** The sections by name, in the order they run. */
const SECTIONS: Record<string, Section> = {
  "round-trips": roundTrips,
  throughput,
  "request-cpu": requestCpu,
  "costly-requests": costlyRequests,
  "posts-at-scale": postsAtScale,
  "events-at-scale": eventsAtScale,
  "publishing-at-scale": publishingAtScale,
  "due-at-once": dueAtOnce,
  "single-claims": singleClaims,
  "sweep-at-scale": sweepAtScale,
  "analytics-at-scale": analyticsAtScale,
  webhooks,
  search,
  rendering,
  verification,
};
const RESULTS = join(import.meta.dirname, "../../.bench");

const { values, positionals } = parseArgs({
  options: { short: { type: "boolean", default: false } },
  allowPositionals: true,
});
const unknown = positionals.filter((name) => !(name in SECTIONS));
if (unknown.length > 0) {
  console.error(`Unknown section ${unknown.join(", ")}. Available: ${Object.keys(SECTIONS).join(", ")}`);
  process.exit(2);
}
const log = (line: string) => console.log(`${(performance.now() / 1000).toFixed(1).padStart(6)} s  ${line}`);
const cleanups: (() => Promise<unknown>)[] = [];
let opening: Promise<BenchContext> | null = null;
let cleaning: Promise<void> | null = null;
let interrupted = false;

for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, () => void interrupt());
let broken = 1;
try {
  broken = await runSections();
} catch (error) {
  // After an interrupt, the section in progress fails because its servers close.
  if (!interrupted) console.error(error);
} finally {
  await cleanUp();
}
process.exit(interrupted ? 130 : broken === 0 ? 0 : 1);

/** Runs the sections and returns the number of exceeded limits. */
async function runSections(): Promise<number> {
  const results: { title: string; tables: Table[] }[] = [];
  opening = openContext();
  const context = await opening;
  for (const [name, section] of Object.entries(SECTIONS)) {
    if (positionals.length > 0 && !positionals.includes(name)) continue;
    log(section.title);
    const tables = await section.run({ ...context, log: (line) => log(`  ${line}`) });
    results.push({ title: section.title, tables });
    console.log(`\n${tables.map(formatTable).join("\n\n\n")}\n`);
  }
  const tables = results.flatMap((section) => section.tables);
  await writeResults(results, tables);
  const checked = values.short ? tables.filter(({ counted }) => counted) : tables;
  return checked.reduce((count, table) => count + table.broken.length, 0);
}

async function openContext(): Promise<BenchContext> {
  const folder = await mkdtemp(join(tmpdir(), "partner-api-bench-"));
  // The cleanup loop also picks up what a section opens during the cleanup.
  const onCleanup = (close: () => Promise<unknown>) => void cleanups.push(close);
  onCleanup(() => rm(folder, { recursive: true, force: true }));
  const stack = await startLocalStack({ folder: join(folder, "stack"), fresh: true, log });
  onCleanup(() => stack.close());
  const varsFile = join(folder, "worker.env");
  await writeFile(varsFile, formatDotenv(stack.vars), { mode: 0o600 });
  log("worker");
  const worker = await startWorker({ port: await findFreePort(), folder, varsFile });
  onCleanup(() => worker.close());
  return { stack, worker, folder, short: values.short, log, onCleanup };
}

async function writeResults(sections: { title: string; tables: Table[] }[], tables: Table[]): Promise<void> {
  await mkdir(RESULTS, { recursive: true });
  const about = { takenAt: new Date().toISOString(), node: process.version, short: values.short };
  await writeFile(join(RESULTS, "results.json"), `${JSON.stringify({ ...about, sections }, null, 2)}\n`);
  for (const table of tables) if (table.chart) await writeFile(join(RESULTS, table.chart.file), renderChart(table));
  console.log("also in .bench/results.json, with charts as .svg in the same folder");
}

/** Waits until the servers have started, because a starting server cannot be closed. */
async function interrupt(): Promise<void> {
  interrupted = true;
  await opening?.catch(() => undefined);
  await cleanUp();
  process.exit(130);
}

function cleanUp(): Promise<void> {
  cleaning ??= runCleanups();
  return cleaning;
}

/** Runs the cleanups in reverse order; a failing one does not prevent the others. */
async function runCleanups(): Promise<void> {
  for (let close = cleanups.pop(); close; close = cleanups.pop()) {
    await close().catch((error) => console.error("Cleanup failed:", error));
  }
}
