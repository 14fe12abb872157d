// The Workers as a deploy has them, in .built/workers; built again only when their code or configuration changed.
import { fork } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import type { ConsumerSettings } from "./queues.ts";

const ROOT = join(import.meta.dirname, "../../..");
const BUILD = join(import.meta.dirname, "build-changed.ts");

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

/** The file of a RuntimeOptions for each Worker. */
export const RUNTIME_OPTIONS = join(ROOT, ".built/workers/options.json");

/** The part of the configuration of a Worker that its runtime reads. */
export interface RuntimeOptions {
  /** Miniflare's options, without the modules. */
  options: { name: string; bindings: Record<string, unknown>; [option: string]: unknown };
  consumers: ConsumerSettings[];
}

/** One build at a time in this process. */
let building: Promise<void> = Promise.resolve();

export function buildWorkers(): Promise<void> {
  building = building.catch(() => undefined).then(buildInProcess);
  return building;
}

/** A process of its own, because a start does other work meanwhile. */
async function buildInProcess(): Promise<void> {
  // The child must not inherit the flags of a test runner.
  const child = fork(BUILD, { cwd: ROOT, execArgv: [], stdio: ["ignore", "ignore", "pipe", "ipc"] });
  let errors = "";
  child.stderr?.setEncoding("utf8").on("data", (text: string) => {
    errors += text;
  });
  const [code] = await once(child, "close");
  if (code !== 0) throw new Error(`The Workers could not be built.\n${errors}`);
}
