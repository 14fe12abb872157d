// The script of `npm start`, which start.ts loads.
import { mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { createEmbedder, type Embedder } from "../../lib/ai/embeddings.ts";
import { BASE_PATH } from "../../lib/shared/paths.ts";
import { announceSteps } from "./announce-steps.ts";
import { createKey, createProduct, editDuringTranscription, lockProject } from "./control-actions.ts";
import { type KeyRequest, startControlServer } from "./control-server.ts";
import { loadCorpus } from "./corpus/load.ts";
import { DamagedStateError } from "./damaged-state.ts";
import { localEmbedder } from "./embedding-model.ts";
import { WORD_TONES_HZ } from "./fake-speech.ts";
import { findModelServices, ModelSettingError, readModelSettings } from "./model-services.ts";
import { printRequests } from "./print-requests.ts";
import { buildWorkers } from "./runtime/build-workers.ts";
import { prepareSample } from "./sample/fill-workspace.ts";
import { listThumbnails, storeThumbnails } from "./sample/history-accounts.ts";
import { renderPictures } from "./sample/pictures.ts";
import type { KeyName } from "./seed.ts";
import { startSignInServer } from "./sign-in-server.ts";
import { formatDotenv, startLocalStack } from "./stack.ts";
import { startWorker, type Worker } from "./worker.ts";

const ROOT = join(import.meta.dirname, "../..");
const FOLDER = join(ROOT, ".local");
const READY = join(FOLDER, "ready.json");

const values = readOptions();

const started = Date.now();
const log = (line: string) => console.log(`${((Date.now() - started) / 1000).toFixed(1).padStart(6)} s  ${line}`);

const port = Number(values.port);
if (!Number.isInteger(port) || port < 1 || port > 65_535)
  exitWithError(`--port must be a number from 1 to 65535, not ${values.port}`);
if (!values["stack-only"] && (await isPortTaken(port)))
  exitWithError(`Port ${port} is taken. Choose another: npm start -- --port 8788`);
const lockPath = join(FOLDER, "running.json");
const runningInstance = await findRunningInstance();
if (runningInstance)
  exitWithError(
    `Already running from this folder, on port ${runningInstance.port} (process ${runningInstance.pid}). Stop it first.`,
  );
await mkdir(FOLDER, { recursive: true, mode: 0o700 });
await rm(READY, { force: true });
const models = await readModelSettings(join(ROOT, ".env"), process.env)
  .then(findModelServices)
  .catch((error: unknown) => {
    if (error instanceof ModelSettingError) return exitWithError(error.message);
    throw error;
  });

const steps = announceSteps(log);
const workerUrl = `http://127.0.0.1:${port}`;
const varsFile = join(FOLDER, "worker.env");
let vars: Record<string, string> = {};
let startingWorker: Promise<Worker> | null = null;
// Beside the start of the stack.
if (!values["stack-only"]) void buildWorkers().catch(() => undefined);
const stack = await startLocalStack({
  folder: FOLDER,
  fresh: values.fresh,
  log: steps.begin,
  from: "library",
  async onSettings(settings) {
    vars = applyModels({ ...settings, PUBLIC_URL: workerUrl });
    await writeVars();
    if (values["stack-only"]) return;
    startingWorker = startWorker({ port, folder: FOLDER, varsFile, log });
    startingWorker.catch(() => undefined);
  },
}).catch((error: unknown) => {
  if (error instanceof DamagedStateError) return exitWithError(error.message);
  throw error;
});
await writeFile(lockPath, JSON.stringify({ pid: process.pid, port }));

const sample = values.empty || values["stack-only"] ? null : prepareSample(stack, FOLDER, log);
if (startingWorker) steps.begin("worker");
const worker = await (startingWorker as Promise<Worker> | null);

if (sample && worker) {
  steps.begin("sample content");
  await sample.fill(workerUrl);
}

const controlActions = {
  crashWorker: async () => {
    if (!worker) throw new Error("the Worker runs in another process");
    await worker.crash();
  },
  async runCron() {
    // The Worker of `npm run dev` listens on the same port.
    if (worker) await worker.runCron();
    else await fetch(`${workerUrl}/cdn-cgi/handler/scheduled`);
  },
  async allowHost(host: string) {
    const allowed = (vars.ALLOWED_PRIVATE_HOSTS ?? "").split(",");
    if (allowed.includes(host)) return;
    vars.ALLOWED_PRIVATE_HOSTS = [...allowed, host].join(",");
    await writeVars();
    await worker?.reload();
  },
  async changeZoneRules(rules: { zone: string; from: string; offset: string }[]) {
    vars.ZONE_RULES = rules.map(({ zone, from, offset }) => `${zone} ${from} ${offset}`).join(";");
    await writeVars();
    await worker?.reload();
    await controlActions.runCron();
  },
  lockProject: (projectId: string, locked: boolean) => lockProject(stack.database, projectId, locked),
  editDuringTranscription: (projectId: string) => editDuringTranscription(stack.database, projectId),
  createKey: (request: KeyRequest) =>
    createKey(stack.databaseConfig, stack.seed.keys[request.key], request, stack.vars.TOKEN_KEY ?? ""),
  createProduct: (key: KeyName) => createProduct(stack.databaseConfig, stack.seed.keys[key]),
};
const control = await startControlServer({ calls: stack.calls, actions: controlActions, port: 0 });
// Publishes what came due while the stack was stopped, without waiting for the next minute.
if (worker) void controlActions.runCron().catch(() => undefined);
const cron = setInterval(() => void controlActions.runCron().catch(() => undefined), 60_000);

const ready = {
  baseUrl: `${workerUrl}${BASE_PATH}`,
  keys: stack.seed.keys,
  accounts: stack.seed.accounts,
  networks: stack.networks.url,
  model: stack.model.url,
  /** The tone in hertz of each word that the fake speech-to-text service recognizes. */
  speech: { words: WORD_TONES_HZ },
  control: control.url,
  /** Below it every path receives webhooks; GET /_received lists what came. */
  receiver: stack.receiver.url,
  /** Pages with Open Graph tags for the cards of links; GET / lists them. */
  pages: stack.pages.url,
  /** GET lists every mail that was sent, newest first. */
  mails: `${stack.mail.url}/_mails`,
};
stack.mail.onMail(({ to, subject }) => log(`mail to ${to.join(", ")}: ${subject}`));
const signIn = await startSignInServer({ calls: stack.calls, origin: workerUrl, mailsUrl: ready.mails });
await mkdir(FOLDER, { recursive: true, mode: 0o700 });
await writeFile(READY, JSON.stringify(ready, null, 2), { mode: 0o600 });
steps.end();
log("ready");
console.log(`
  API        ${ready.baseUrl}
  reference  ${workerUrl}/docs
  dashboard  ${signIn.link} (signs you in, each time)
  networks   ${ready.networks}/_published
  control    ${ready.control}/_calls
  receiver   ${ready.receiver}/_received
  mails      ${ready.mails}

  ${models.lines.join("\n  ")}

  keys${Object.entries(ready.keys)
    .map(([name, token]) => `\n    ${name.padEnd(15)} ${token}`)
    .join("")}

  also in .local/ready.json; state is kept in .local/ (--fresh deletes it)
  ${values["stack-only"] ? `settings are in .dev.vars: run npm run dev -- --port ${port} in another terminal` : "try it: npm run demo in another terminal"}
  Ctrl-C stops everything
`);

const stopPrinting =
  worker && !values.quiet ? await printRequests(join(FOLDER, "worker.log"), (line) => log(line)) : null;

// In the background: loading takes long, and few tests need the corpus. Its pictures are those of the sample.
const pictures = listThumbnails(stack.storage);
const drawing = stack.isNew && !sample ? renderPictures().then((drawn) => storeThumbnails(stack, drawn)) : null;
drawing?.catch((error: Error) => log(`the viral library has no pictures: ${error.message}`));
const corpus = loadCorpus(
  stack.databaseConfig,
  stack.database.query,
  join(FOLDER, "corpus"),
  chooseEmbedder(),
  pictures,
  log,
);

let stopping = false;
async function stop(): Promise<void> {
  if (stopping) return;
  stopping = true;
  clearInterval(cron);
  await stopPrinting?.();
  await Promise.all([rm(READY, { force: true }), rm(lockPath, { force: true })]);
  await Promise.all([corpus.stop(), worker?.close()]);
  await Promise.all([control.close(), signIn.close(), stack.close()]);
  process.exit(0);
}
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, () => void stop());

/** A service that is real has none of the settings of its fake. */
function applyModels(all: Record<string, string>): Record<string, string> {
  const kept = Object.entries(all).filter(([name]) => ![...models.real].some((kind) => name.startsWith(`${kind}_`)));
  return { ...Object.fromEntries(kept), ...models.vars };
}

/** The viral library is embedded by the model that embeds what is searched for. */
function chooseEmbedder(): Embedder {
  const { EMBEDDINGS_URL: url, EMBEDDINGS_API_KEY: apiKey, EMBEDDINGS_MODEL: model } = vars;
  const real = models.real.has("EMBEDDINGS") ? createEmbedder({ url, apiKey, model, ai: null, fetch }) : null;
  return real ?? localEmbedder;
}

/** The settings file of the Worker; with --stack-only, Workers read theirs from beside their configuration. */
async function writeVars(): Promise<void> {
  const own = ["", "functions/workspace", "functions/mcp", "functions/simulator"].map((folder) => join(ROOT, folder));
  const folders = values["stack-only"] ? own : [];
  for (const path of [varsFile, ...folders.map((folder) => join(folder, ".dev.vars"))]) {
    await writeFile(path, formatDotenv(vars), { mode: 0o600 });
  }
}

/** The running instance that uses the folder: two processes would corrupt the database. */
async function findRunningInstance(): Promise<{ pid: number; port: number } | null> {
  try {
    const instance: { pid: number; port: number } = JSON.parse(await readFile(lockPath, "utf8"));
    process.kill(instance.pid, 0);
    return instance;
  } catch {
    return null;
  }
}

function readOptions() {
  const options = {
    empty: { type: "boolean", default: false },
    fresh: { type: "boolean", default: false },
    port: { type: "string", default: "8787" },
    quiet: { type: "boolean", default: false },
    "stack-only": { type: "boolean", default: false },
  } as const;
  try {
    return parseArgs({ options }).values;
  } catch (error) {
    return exitWithError((error as Error).message);
  }
}

function exitWithError(message: string): never {
  console.error(message);
  process.exit(2);
}

function isPortTaken(candidate: number): Promise<boolean> {
  return new Promise((resolve) => {
    const probe = createServer();
    probe.once("error", () => resolve(true));
    probe.listen(candidate, "127.0.0.1", () => probe.close(() => resolve(false)));
  });
}
