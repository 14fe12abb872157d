// The Worker of the local stack: `wrangler dev` in a separate process group, which can be killed and restarted, and which is
// started again when it ends unexpectedly.
import { type ChildProcess, fork, spawn } from "node:child_process";
import { openSync } from "node:fs";
import { copyFile, mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { keepRunning } from "./keep-running.ts";
import { watchForCrash } from "./runtime-crash.ts";
import { WRANGLER_ENVIRONMENT } from "./wrangler-environment.ts";

export interface Worker {
  url: string;
  /** The parent of all processes of the Worker. */
  pid(): number;
  /** Kills all processes with SIGKILL and restarts them. */
  crash(): Promise<void>;
  /** Restarts them with what the settings file has now. */
  reload(): Promise<void>;
  /** Runs cron now. */
  runCron(): Promise<void>;
  close(): Promise<void>;
}

interface Options {
  port: number;
  folder: string;
  varsFile: string;
  /** Reports that the Worker ended and runs again. */
  log?: (line: string) => void;
}

const ROOT = join(import.meta.dirname, "../..");
const KILL_WITH_PARENT = join(import.meta.dirname, "kill-with-parent.ts");
const READY_TIMEOUT_MS = 60_000;
const MAX_STARTS = 3;
const LOG_LINES_IN_ERRORS = 30;
/** The API comes first: it listens on the port and reaches the others through service bindings. */
const CONFIGS = ["wrangler.toml", ...["assets", "rendering", "media"].map((name) => `functions/${name}/wrangler.toml`)];
const WORKSPACE = join(ROOT, "functions/workspace");

export async function startWorker({ port, folder, varsFile, log = () => undefined }: Options): Promise<Worker> {
  const url = `http://127.0.0.1:${port}`;
  const logPath = join(folder, "worker.log");
  let child: ChildProcess;
  const workspaceConfig = await writeWorkspaceConfig(folder, varsFile);
  await startWrangler();
  let hasCrashed = watchForCrash(logPath);
  const getExit = () => describeExit(child) ?? (hasCrashed() ? "its runtime crashed" : null);
  const supervisor = keepRunning({ port, log, getExit, restart });

  function spawnWrangler(): ChildProcess {
    const log = openSync(logPath, "a");
    const flags = ["--port", String(port), "--ip", "127.0.0.1", "--inspector-port", "0"];
    const state = ["--persist-to", join(folder, "wrangler"), "--env-file", varsFile];
    const configs = [...CONFIGS.map((path) => join(ROOT, path)), workspaceConfig].flatMap((path) => ["-c", path]);
    const wrangler = join(ROOT, "node_modules/wrangler/bin/wrangler.js");
    const started = spawn(
      process.execPath,
      [wrangler, "dev", ...configs, ...flags, ...state, "--show-interactive-dev-session=false"],
      {
        cwd: ROOT,
        detached: true,
        stdio: ["ignore", log, log],
        env: {
          ...process.env,
          ...WRANGLER_ENVIRONMENT,
          // By default all wranglers of a machine share one registry and find each other's Workers in it.
          WRANGLER_REGISTRY_PATH: join(folder, "registry"),
        },
      },
    );
    killWithParent(started);
    return started;
  }

  /** No process of the Worker may outlive this process, even if this process is killed. */
  function killWithParent(started: ChildProcess): void {
    const watcher = fork(KILL_WITH_PARENT, [String(started.pid)], { detached: true, stdio: "ignore" });
    watcher.unref();
    watcher.channel?.unref();
    started.once("exit", () => watcher.kill());
  }

  /** Starts wrangler and waits until it is ready. One that exits before that is started again. */
  async function startWrangler(): Promise<void> {
    for (let starts = 1; ; starts++) {
      child = spawnWrangler();
      const end = await waitUntilReady(child);
      if (end === "ready") return;
      await stop("SIGKILL");
      if (starts === MAX_STARTS) throw new Error(await describeFailedStart(child, end));
    }
  }

  async function waitUntilReady(started: ChildProcess): Promise<"ready" | "exited" | "timeout"> {
    const deadline = Date.now() + READY_TIMEOUT_MS;
    while (Date.now() < deadline) {
      if (hasExited(started)) return "exited";
      if (await responds()) return "ready";
      await sleep(150);
    }
    return "timeout";
  }

  async function responds(): Promise<boolean> {
    try {
      const response = await fetch(`${url}/openapi.json`, { signal: AbortSignal.timeout(5_000) });
      // On a busy machine the time may pass while the body is read.
      await response.arrayBuffer();
      return response.ok;
    } catch {
      return false;
    }
  }

  async function describeFailedStart(started: ChildProcess, end: "exited" | "timeout"): Promise<string> {
    const log = await readFile(logPath, "utf8").catch(() => "");
    const what =
      end === "exited"
        ? `wrangler dev ${describeExit(started)} ${MAX_STARTS} times`
        : `wrangler dev was not ready within ${READY_TIMEOUT_MS / 1000} s`;
    return `${what}. The last lines of ${logPath}:\n${log.trimEnd().split("\n").slice(-LOG_LINES_IN_ERRORS).join("\n")}`;
  }

  async function restart(): Promise<void> {
    await stop("SIGKILL");
    await startWrangler();
    hasCrashed = watchForCrash(logPath);
  }

  async function stop(signal: NodeJS.Signals): Promise<void> {
    if (child.pid === undefined) return;
    if (!hasExited(child)) {
      const exited = new Promise((resolve) => child.once("exit", resolve));
      process.kill(-child.pid, signal);
      await Promise.race([exited, sleep(4_000)]);
    }
    try {
      // Kills members of the group that outlived its leader.
      process.kill(-child.pid, "SIGKILL");
    } catch {}
  }

  return {
    url,
    pid: () => child.pid ?? 0,
    crash: () => supervisor.pause(restart),
    reload: () =>
      supervisor.pause(async () => {
        await writeWorkspaceConfig(folder, varsFile);
        await restart();
      }),
    async runCron() {
      const response = await fetch(`${url}/cdn-cgi/handler/scheduled`);
      if (!response.ok) throw new Error(`cron returned HTTP ${response.status}: ${await response.text()}`);
    },
    close() {
      supervisor.stop();
      return supervisor.pause(() => stop("SIGTERM"));
    },
  };
}

/** `--env-file` is for the first Worker only: the others read `.dev.vars` beside their configuration, here a copy of it. */
async function writeWorkspaceConfig(folder: string, varsFile: string): Promise<string> {
  const copy = join(folder, "workspace");
  await mkdir(copy, { recursive: true, mode: 0o700 });
  await copyFile(varsFile, join(copy, ".dev.vars"));
  const config = await readFile(join(WORKSPACE, "wrangler.toml"), "utf8");
  const toAbsolute = (_: string, path: string) => JSON.stringify(join(WORKSPACE, path));
  await writeFile(join(copy, "wrangler.toml"), config.replaceAll(/"(worker\.ts|\.\.\/\.\.\/[^"]+)"/g, toAbsolute));
  return join(copy, "wrangler.toml");
}

/** Null while it runs. */
function describeExit(child: ChildProcess): string | null {
  if (!hasExited(child)) return null;
  return child.exitCode === null ? `was ended by ${child.signalCode}` : `exited with code ${child.exitCode}`;
}

function hasExited(child: ChildProcess): boolean {
  return child.exitCode !== null || child.signalCode !== null;
}
