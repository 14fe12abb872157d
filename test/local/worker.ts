// The Worker of the local world: `wrangler dev` in a process group of its own, which can be killed and started again.
import { type ChildProcess, fork, spawn } from "node:child_process";
import { openSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

export interface Worker {
  url: string;
  /** The process that all others of the Worker are below. */
  pid(): number;
  /** Kills everything at once, without a chance to finish, and starts it again. */
  crash(): Promise<void>;
  /** Runs cron now. */
  tick(): Promise<void>;
  close(): Promise<void>;
}

interface Options {
  port: number;
  folder: string;
  varsFile: string;
}

const ROOT = join(import.meta.dirname, "../..");
const LEASH = join(import.meta.dirname, "leash.ts");
const READY_WITHIN_MS = 60_000;
/** The API comes first: it is the one behind the port, and reaches the others by its bindings. */
const CONFIGS = ["wrangler.toml", "functions/drawing/wrangler.toml", "functions/media/wrangler.toml"];

export async function startWorker({ port, folder, varsFile }: Options): Promise<Worker> {
  const url = `http://127.0.0.1:${port}`;
  const logPath = join(folder, "worker.log");
  let child = run();
  await readyOrKilled();

  function run(): ChildProcess {
    const log = openSync(logPath, "a");
    const flags = ["--port", String(port), "--ip", "127.0.0.1", "--inspector-port", "0"];
    const state = ["--persist-to", join(folder, "wrangler"), "--env-file", varsFile];
    const configs = CONFIGS.flatMap((path) => ["-c", join(ROOT, path)]);
    const wrangler = join(ROOT, "node_modules/wrangler/bin/wrangler.js");
    const started = spawn(
      process.execPath,
      [wrangler, "dev", ...configs, ...flags, ...state, "--show-interactive-dev-session=false"],
      {
        cwd: ROOT,
        detached: true,
        stdio: ["ignore", log, log],
        env: { ...process.env, WRANGLER_SEND_METRICS: "false", CI: "1" },
      },
    );
    leash(started);
    return started;
  }

  /** Whoever is killed without a chance to stop its Worker must not leave it behind. */
  function leash(started: ChildProcess): void {
    const holder = fork(LEASH, [String(started.pid)], { detached: true, stdio: "ignore" });
    holder.unref();
    holder.channel?.unref();
    started.once("exit", () => holder.kill());
  }

  async function ready(started: ChildProcess): Promise<void> {
    const until = Date.now() + READY_WITHIN_MS;
    while (Date.now() < until) {
      if (started.exitCode !== null)
        throw new Error(`wrangler dev ended with code ${started.exitCode}; see ${logPath}`);
      const answer = await fetch(`${url}/openapi.json`).catch(() => null);
      if (answer?.ok) return void (await answer.arrayBuffer());
      await sleep(150);
    }
    throw new Error(`wrangler dev was not ready within ${READY_WITHIN_MS / 1000} s; see ${logPath}`);
  }

  /** A wrangler that never gets ready must not outlive the one who started it. */
  async function readyOrKilled(): Promise<void> {
    try {
      await ready(child);
    } catch (error) {
      await stop("SIGKILL");
      throw error;
    }
  }

  async function stop(signal: NodeJS.Signals): Promise<void> {
    if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
    const gone = new Promise((resolve) => child.once("exit", resolve));
    process.kill(-child.pid, signal);
    await Promise.race([gone, sleep(4_000)]);
    try {
      // Whatever of the group outlived its leader.
      process.kill(-child.pid, "SIGKILL");
    } catch {}
  }

  return {
    url,
    pid: () => child.pid ?? 0,
    async crash() {
      await stop("SIGKILL");
      child = run();
      await readyOrKilled();
    },
    async tick() {
      const answer = await fetch(`${url}/cdn-cgi/handler/scheduled`);
      if (!answer.ok) throw new Error(`cron answered HTTP ${answer.status}: ${await answer.text()}`);
    },
    close: () => stop("SIGTERM"),
  };
}
