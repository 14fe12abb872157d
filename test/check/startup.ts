// What a built Worker costs to start: CPU time of a bare workerd process from nothing to its first answer.
import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { readdirSync, readFileSync } from "node:fs";
import { readdir, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { extname, join } from "node:path";
import { createInterface } from "node:readline";
import type { Readable } from "node:stream";
import { BASE_PATH } from "../../lib/paths.ts";

// The native binary itself, by way of the package that brings it: a wrapper script would be measured with it.
const fromWrangler = createRequire(createRequire(import.meta.url).resolve("wrangler"));
const WORKERD: string = fromWrangler("workerd").default;

const GIVE_UP_AFTER_MS = 20_000;

interface Runtime {
  compatibilityDate: string;
  compatibilityFlags: string[];
}

const KINDS: Record<string, string> = { ".js": "esModule", ".mjs": "esModule", ".wasm": "wasm", ".txt": "text" };

/** The files of a build that are uploaded, the entry first. */
export async function modulesOf(folder: string, entry: string): Promise<string[]> {
  const files = (await readdir(folder)).filter((file) => extname(file) in KINDS && file !== entry);
  return [entry, ...files.sort()];
}

/** Writes what workerd needs to serve a folder that wrangler built; the answer is the path of that file. */
export async function configure(folder: string, modules: string[], runtime: Runtime): Promise<string> {
  const listed = modules.map((file) => `(name = "${file}", ${KINDS[extname(file)]} = embed "${file}")`).join(", ");
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
  modules = [${listed}],
  compatibilityDate = "${runtime.compatibilityDate}",
  compatibilityFlags = [${flags}],
);
`,
  );
  return path;
}

/** Asked of every Worker: where it has endpoints, the module of one and all that it needs are evaluated for it. */
const ASKED = `${BASE_PATH}/posts`;

/** Milliseconds of CPU until the first answer, whatever its status; null where the system does not tell. */
export async function cpuToFirstAnswer(config: string): Promise<number | null> {
  const child = spawn(WORKERD, ["serve", config, "--control-fd=3"], { stdio: ["ignore", "ignore", "pipe", "pipe"] });
  const gone = once(child, "exit");
  let complaint = "";
  child.stderr?.on("data", (chunk) => (complaint += chunk));
  const timer = setTimeout(() => child.kill("SIGKILL"), GIVE_UP_AFTER_MS);
  try {
    const port = await Promise.race([listening(child.stdio[3] as Readable), gone.then(() => null)]);
    if (port === null) throw new Error(`workerd ended before it listened: ${complaint}`);
    const answer = await fetch(`http://127.0.0.1:${port}${ASKED}`);
    await answer.arrayBuffer();
    return cpuOf(child.pid ?? 0);
  } finally {
    clearTimeout(timer);
    child.kill("SIGKILL");
    if (child.exitCode === null && child.signalCode === null) await gone;
  }
}

async function listening(control: Readable): Promise<number | null> {
  for await (const line of createInterface({ input: control })) {
    const event: { event?: string; port?: number } = JSON.parse(line);
    if (event.event === "listen") return event.port ?? null;
  }
  return null;
}

function cpuOf(pid: number): number | null {
  try {
    // Linux counts every thread in nanoseconds; the process as a whole is told in steps of 10 ms only.
    const threads = readdirSync(`/proc/${pid}/task`);
    const spent = threads.map((thread) =>
      Number(readFileSync(`/proc/${pid}/task/${thread}/schedstat`, "utf8").split(" ")[0]),
    );
    return spent.reduce((sum, one) => sum + one, 0) / 1e6;
  } catch {
    return cpuByPs(pid);
  }
}

function cpuByPs(pid: number): number | null {
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
