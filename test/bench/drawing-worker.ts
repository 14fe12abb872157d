// The drawing Worker as a deploy builds it, in a bare workerd of its own: nothing else is in the process that is measured.
import { type ChildProcess, execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync } from "node:fs";
import { readdir, readFile, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { join } from "node:path";
import { createInterface } from "node:readline";
import type { Readable } from "node:stream";
import { promisify } from "node:util";
import { gzipSync } from "node:zlib";
import type { Order } from "../../lib/drawing/order.ts";
import type { Context } from "./section.ts";

const ROOT = join(import.meta.dirname, "../..");
const WRANGLER = join(ROOT, "node_modules/wrangler/bin/wrangler.js");
const fromWrangler = createRequire(createRequire(import.meta.url).resolve("wrangler"));
const WORKERD: string = fromWrangler("workerd").default;
const run = promisify(execFile);

/** Builds without uploading; answers where the parts lie. */
export async function build(config: string, out: string): Promise<string> {
  await run(process.execPath, [WRANGLER, "deploy", "-c", config, "--dry-run", "--outdir", out], {
    cwd: ROOT,
    env: { ...process.env, WRANGLER_SEND_METRICS: "false", CI: "1" },
  });
  return out;
}

/** KiB of what is uploaded of a build, script and WebAssembly together. */
export async function gzipKiB(folder: string): Promise<number> {
  const parts = (await readdir(folder)).filter((name) => /\.(js|mjs|wasm)$/.test(name));
  const sizes = await Promise.all(parts.map(async (name) => gzipSync(await readFile(join(folder, name))).length));
  return Math.round(sizes.reduce((sum, size) => sum + size, 0) / 1024);
}

export interface DrawingWorker {
  draw(order: Order): Promise<Response>;
  /** MiB of the process: now, and the most it ever was. Null where the system does not tell. */
  memory(): { now: number; most: number } | null;
}

export async function startDrawingWorker(built: string, { atEnd }: Context): Promise<DrawingWorker> {
  // Beside what it embeds, which is named relative to it.
  const config = join(built, "config.capnp");
  await writeFile(config, await capnp(built));
  const child = spawn(WORKERD, ["serve", config, "--control-fd=3"], { stdio: ["ignore", "ignore", "inherit", "pipe"] });
  atEnd(() => end(child));
  const port = await listening(child.stdio[3] as Readable);
  return {
    draw: (order) => fetch(`http://127.0.0.1:${port}/`, { method: "POST", body: JSON.stringify(order) }),
    memory: () => {
      const path = `/proc/${child.pid}/status`;
      if (!existsSync(path)) return null;
      const status = readFileSync(path, "utf8");
      const mib = (name: string) => Math.round(Number(new RegExp(`${name}:\\s+(\\d+) kB`).exec(status)?.[1]) / 1024);
      return { now: mib("VmRSS"), most: mib("VmHWM") };
    },
  };
}

/** Its images come from this machine, which a Worker at the edge can't reach. */
async function capnp(built: string): Promise<string> {
  const modules = (await readdir(built)).filter((name) => /\.(js|wasm)$/.test(name));
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

async function listening(control: Readable): Promise<number> {
  for await (const line of createInterface({ input: control })) {
    const event: { event?: string; port?: number } = JSON.parse(line);
    if (event.event === "listen" && event.port) return event.port;
  }
  throw new Error("workerd ended before it listened");
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const gone = once(child, "exit");
  child.kill("SIGKILL");
  await gone;
}
