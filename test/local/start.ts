// `npm start`: the outside world and the Worker in it. `npm run local`: the world alone, for a `wrangler dev` of your own.
import { mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { BASE_PATH } from "../../lib/paths.ts";
import { startControl } from "./control.ts";
import { loadCorpus } from "./corpus/load.ts";
import { createProduct, editDuringTranscription, lockProject } from "./levers.ts";
import type { KeyName } from "./seed.ts";
import { TONES } from "./tones.ts";
import { startWorker, type Worker } from "./worker.ts";
import { dotenv, startWorld } from "./world.ts";

const ROOT = join(import.meta.dirname, "../..");
const FOLDER = join(ROOT, ".local");
const READY = join(FOLDER, "ready.json");

const values = readOptions();

const started = Date.now();
const say = (line: string) => console.log(`${((Date.now() - started) / 1000).toFixed(1).padStart(6)} s  ${line}`);

const port = Number(values.port);
if (!Number.isInteger(port) || port < 1 || port > 65_535)
  fail(`--port must be a number from 1 to 65535, not ${values.port}`);
if (!values["world-only"] && (await taken(port)))
  fail(`Port ${port} is taken. Choose another: npm start -- --port 8788`);
const lockPath = join(FOLDER, "running.json");
const holder = await runningAlready();
if (holder) fail(`Already running from this folder, on port ${holder.port} (process ${holder.pid}). Stop it first.`);
await mkdir(FOLDER, { recursive: true });
await rm(READY, { force: true });

const world = await startWorld({ folder: FOLDER, fresh: values.fresh, say });
const address = `http://127.0.0.1:${port}`;
const vars = dotenv({ ...world.vars, PUBLIC_URL: address });
await writeFile(lockPath, JSON.stringify({ pid: process.pid, port }));
const varsFile = join(FOLDER, "worker.env");
await writeFile(varsFile, vars, { mode: 0o600 });

let worker: Worker | null = null;
if (values["world-only"]) {
  await writeFile(join(ROOT, ".dev.vars"), vars, { mode: 0o600 });
} else {
  say("worker");
  worker = await startWorker({ port, folder: FOLDER, varsFile });
}

const levers = {
  crash: async () => {
    if (!worker) throw new Error("the Worker runs elsewhere");
    await worker.crash();
  },
  tick: async () => void (await fetch(`${address}/cdn-cgi/handler/scheduled`)),
  lockProject: (projectId: string, locked: boolean) => lockProject(world.database, projectId, locked),
  editDuringTranscription: (projectId: string) => editDuringTranscription(world.database, projectId),
  createProduct: (key: KeyName) => createProduct(world.address, world.seed.keys[key]),
};
const control = await startControl({ calls: world.calls, levers, port: 0 });
// What came due while nothing ran goes out now instead of at the next tick.
if (worker) void levers.tick().catch(() => undefined);
const cron = setInterval(() => void levers.tick().catch(() => undefined), 60_000);

const ready = {
  baseUrl: `${address}${BASE_PATH}`,
  keys: world.seed.keys,
  accounts: world.seed.accounts,
  networks: world.networks.url,
  model: world.model.url,
  /** The tone in hertz of each word that the recogniser knows. */
  speech: { words: TONES },
  control: control.url,
};
await mkdir(FOLDER, { recursive: true });
await writeFile(READY, JSON.stringify(ready, null, 2), { mode: 0o600 });
say("ready");
console.log(`
  API        ${ready.baseUrl}
  reference  ${address}/docs
  networks   ${ready.networks}/_published
  control    ${ready.control}/_calls

  keys${Object.entries(ready.keys)
    .map(([name, token]) => `\n    ${name.padEnd(15)} ${token}`)
    .join("")}

  also in .local/ready.json; state stays in .local/ (--fresh empties it)
  ${values["world-only"] ? "settings are in .dev.vars: run npx wrangler dev in another terminal" : "try it: npm run demo in another terminal"}
  Ctrl-C stops everything
`);

// In the background: nobody should wait for it, and a test that needs it sees it coming.
const corpus = loadCorpus(world.address, join(FOLDER, "corpus"), say);

let stopping = false;
async function stop(): Promise<void> {
  if (stopping) return;
  stopping = true;
  clearInterval(cron);
  await Promise.all([rm(READY, { force: true }), rm(lockPath, { force: true })]);
  await Promise.all([corpus.stop(), worker?.close()]);
  await Promise.all([control.close(), world.close()]);
  process.exit(0);
}
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, () => void stop());

/** The instance that holds the folder: two on one database folder would break it. */
async function runningAlready(): Promise<{ pid: number; port: number } | null> {
  try {
    const held: { pid: number; port: number } = JSON.parse(await readFile(lockPath, "utf8"));
    process.kill(held.pid, 0);
    return held;
  } catch {
    return null;
  }
}

function readOptions() {
  const options = {
    fresh: { type: "boolean", default: false },
    port: { type: "string", default: "8787" },
    "world-only": { type: "boolean", default: false },
  } as const;
  try {
    return parseArgs({ options }).values;
  } catch (error) {
    return fail((error as Error).message);
  }
}

function fail(message: string): never {
  console.error(message);
  process.exit(2);
}

function taken(wanted: number): Promise<boolean> {
  return new Promise((resolve) => {
    const probe = createServer();
    probe.once("error", () => resolve(true));
    probe.listen(wanted, "127.0.0.1", () => probe.close(() => resolve(false)));
  });
}
