// Runs the rendering Worker, built like a deploy, in a separate workerd process, so that only it is measured.
import { type ChildProcess, execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync } from "node:fs";
import { readdir, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { join } from "node:path";
import { createInterface } from "node:readline";
import type { Readable } from "node:stream";
import { promisify } from "node:util";
import type { RenderRequest } from "../../lib/rendering/worker-protocol.ts";
import { WRANGLER_ENVIRONMENT } from "../local/wrangler-environment.ts";
import type { BenchContext } from "./section.ts";

const ROOT = join(import.meta.dirname, "../..");
const WRANGLER = join(ROOT, "node_modules/wrangler/bin/wrangler.js");
const fromWrangler = createRequire(createRequire(import.meta.url).resolve("wrangler"));
const WORKERD: string = fromWrangler("workerd").default;
const run = promisify(execFile);

/** Builds a Worker without uploading it and returns the output folder. */
export async function buildWorker(config: string, out: string): Promise<string> {
  await run(process.execPath, [WRANGLER, "deploy", "-c", config, "--dry-run", "--outdir", out], {
    cwd: ROOT,
    env: { ...process.env, ...WRANGLER_ENVIRONMENT },
  });
  return out;
}

export interface RenderingWorker {
  render(request: RenderRequest): Promise<Response>;
  /** Current and peak memory of the process in MiB; null where the system does not report it. */
  readMemory(): { now: number; peak: number } | null;
}

export async function startRenderingWorker(buildFolder: string, { onCleanup }: BenchContext): Promise<RenderingWorker> {
  // In the same folder as the embedded files, whose paths are relative.
  const config = join(buildFolder, "config.capnp");
  await writeFile(config, await buildWorkerdConfig(buildFolder));
  const child = spawn(WORKERD, ["serve", config, "--control-fd=3"], { stdio: ["ignore", "ignore", "inherit", "pipe"] });
  onCleanup(() => kill(child));
  const port = await waitForPort(child.stdio[3] as Readable);
  return {
    render: (request) => fetch(`http://127.0.0.1:${port}/`, { method: "POST", body: JSON.stringify(request) }),
    readMemory: () => {
      const path = `/proc/${child.pid}/status`;
      if (!existsSync(path)) return null;
      const status = readFileSync(path, "utf8");
      const mib = (name: string) => Math.round(Number(new RegExp(`${name}:\\s+(\\d+) kB`).exec(status)?.[1]) / 1024);
      return { now: mib("VmRSS"), peak: mib("VmHWM") };
    },
  };
}

/** Allows private addresses, because the benchmark serves images from this machine. */
async function buildWorkerdConfig(buildFolder: string): Promise<string> {
  const modules = (await readdir(buildFolder)).filter((name) => /\.(js|wasm)$/.test(name));
  modules.sort((a, b) => Number(b.endsWith(".js")) - Number(a.endsWith(".js")));
  const listed = modules.map((name) => {
    const kind = name.endsWith(".wasm") ? "wasm" : "esModule";
    return `(name = "${name}", ${kind} = embed "${name}")`;
  });
  return `using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (
  services = [
    (name = "main", worker = .main),
    (name = "fonts", disk = (path = "${join(ROOT, ".fonts")}")),
    (name = "internet", network = (allow = ["public", "private"])),
  ],
  sockets = [(name = "http", address = "127.0.0.1:0", http = (), service = "main")],
);
const main :Workerd.Worker = (
  modules = [${listed.join(", ")}],
  compatibilityDate = "2026-11-01",
  bindings = [(name = "FONTS", service = "fonts")],
);
`;
}

async function waitForPort(control: Readable): Promise<number> {
  for await (const line of createInterface({ input: control })) {
    const event: { event?: string; port?: number } = JSON.parse(line);
    if (event.event === "listen" && event.port) return event.port;
  }
  throw new Error("workerd exited before it was ready");
}

async function kill(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exited = once(child, "exit");
  child.kill("SIGKILL");
  await exited;
}
