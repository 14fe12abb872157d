// Measures the start-up cost of a built Worker: CPU time of a workerd process until its first response.
import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { readdirSync, readFileSync } from "node:fs";
import { readdir, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { extname, join } from "node:path";
import { createInterface } from "node:readline";
import type { Readable } from "node:stream";
import { BASE_PATH } from "../../lib/shared/paths.ts";

// The native binary itself, because a wrapper script would be included in the measurement.
const fromWrangler = createRequire(createRequire(import.meta.url).resolve("wrangler"));
const WORKERD: string = fromWrangler("workerd").default;

const TIMEOUT_MS = 20_000;

interface Runtime {
  compatibilityDate: string;
  compatibilityFlags: string[];
}

const MODULE_TYPES: Record<string, string> = { ".js": "esModule", ".mjs": "esModule", ".wasm": "wasm", ".txt": "text" };

/** Lists the uploaded files of a build, the entry first. */
export async function listModules(folder: string, entry: string): Promise<string[]> {
  const files = (await readdir(folder)).filter((file) => extname(file) in MODULE_TYPES && file !== entry);
  return [entry, ...files.sort()];
}

/** Writes the workerd configuration for a folder built by wrangler and returns its path. */
export async function writeWorkerdConfig(folder: string, modules: string[], runtime: Runtime): Promise<string> {
  const moduleEntries = modules
    .map((file) => `(name = "${file}", ${MODULE_TYPES[extname(file)]} = embed "${file}")`)
    .join(", ");
  const flags = runtime.compatibilityFlags.map((flag) => `"${flag}"`).join(", ");
  const path = join(folder, "config.capnp");
  await writeFile(
    path,
    `using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (
  services = [(name = "main", worker = .main)],
  sockets = [(name = "http", address = "127.0.0.1:0", http = (), service = "main")],
);
const main :Workerd.Worker = (
  modules = [${moduleEntries}],
  compatibilityDate = "${runtime.compatibilityDate}",
  compatibilityFlags = [${flags}],
);
`,
  );
  return path;
}

/** Requested from every Worker; in the service this evaluates one endpoint module and its dependencies. */
const REQUEST_PATH = `${BASE_PATH}/posts`;

/** Milliseconds of CPU until the first response, regardless of its status; null where the system does not report them. */
export async function measureStartupCpu(config: string): Promise<number | null> {
  const child = spawn(WORKERD, ["serve", config, "--control-fd=3"], { stdio: ["ignore", "ignore", "pipe", "pipe"] });
  const exited = once(child, "exit");
  let stderr = "";
  child.stderr?.on("data", (chunk) => (stderr += chunk));
  const timer = setTimeout(() => child.kill("SIGKILL"), TIMEOUT_MS);
  try {
    const port = await Promise.race([waitForPort(child.stdio[3] as Readable), exited.then(() => null)]);
    if (port === null) throw new Error(`workerd exited before it was ready: ${stderr}`);
    const response = await fetch(`http://127.0.0.1:${port}${REQUEST_PATH}`);
    await response.arrayBuffer();
    return readCpuTime(child.pid ?? 0);
  } finally {
    clearTimeout(timer);
    child.kill("SIGKILL");
    if (child.exitCode === null && child.signalCode === null) await exited;
  }
}

async function waitForPort(control: Readable): Promise<number | null> {
  for await (const line of createInterface({ input: control })) {
    const event: { event?: string; port?: number } = JSON.parse(line);
    if (event.event === "listen") return event.port ?? null;
  }
  return null;
}

function readCpuTime(pid: number): number | null {
  try {
    // Linux reports CPU time per thread in nanoseconds, but per process only in steps of 10 ms.
    const threads = readdirSync(`/proc/${pid}/task`);
    const nanoseconds = threads.map((thread) =>
      Number(readFileSync(`/proc/${pid}/task/${thread}/schedstat`, "utf8").split(" ")[0]),
    );
    return nanoseconds.reduce((sum, value) => sum + value, 0) / 1e6;
  } catch {
    return readCpuTimeWithPs(pid);
  }
}

function readCpuTimeWithPs(pid: number): number | null {
  try {
    const [minutes, seconds] = execFileSync("ps", ["-o", "cputime=", "-p", String(pid)], { encoding: "utf8" })
      .trim()
      .split(":")
      .slice(-2);
    return (Number(minutes) * 60 + Number(seconds)) * 1000;
  } catch {
    return null;
  }
}
