// The Workers of the local stack in a separate process group, which can be killed and restarted, and which is started again
// when it ends unexpectedly.
import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { openSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { keepRunning } from "./keep-running.ts";
import { buildWorkers } from "./runtime/build-workers.ts";
import type { CronResult } from "./runtime/run.ts";
import { watchForCrash } from "./runtime-crash.ts";

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

const RUNTIME = join(import.meta.dirname, "runtime/run.ts");
const KILL_WITH_PARENT = join(import.meta.dirname, "kill-with-parent.ts");
const READY_TIMEOUT_MS = 60_000;
const MAX_STARTS = 3;
const LOG_LINES_IN_ERRORS = 30;

export async function startWorker({ port, folder, varsFile, log = () => undefined }: Options): Promise<Worker> {
  const url = `http://127.0.0.1:${port}`;
  const logPath = join(folder, "worker.log");
  let child: ChildProcess;
  /** The last run: one after another, because a response does not say which one it is for. */
  let cron: Promise<void> = Promise.resolve();
  await buildWorkers();
  await startRuntime();
  let hasCrashed = watchForCrash(logPath);
  const getExit = () => describeExit(child) ?? (hasCrashed() ? "its runtime crashed" : null);
  const supervisor = keepRunning({ port, log, getExit, restart });

  function spawnRuntime(): ChildProcess {
    const log = openSync(logPath, "a");
    const started = fork(RUNTIME, [String(port), varsFile], { detached: true, stdio: ["ignore", log, log, "ipc"] });
    killWithParent(started);
    return started;
  }

  /** Waits until it is ready. One that exits before that is started again. */
  async function startRuntime(): Promise<void> {
    for (let starts = 1; ; starts++) {
      child = spawnRuntime();
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
        ? `The runtime ${describeExit(started)} ${MAX_STARTS} times`
        : `The runtime was not ready within ${READY_TIMEOUT_MS / 1000} s`;
    return `${what}. The last lines of ${logPath}:\n${log.trimEnd().split("\n").slice(-LOG_LINES_IN_ERRORS).join("\n")}`;
  }

  async function restart(): Promise<void> {
    await stop("SIGKILL");
    await startRuntime();
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
    reload: () => supervisor.pause(restart),
    runCron() {
      cron = cron.catch(() => undefined).then(() => runCron(child));
      return cron;
    },
    close() {
      supervisor.stop();
      return supervisor.pause(() => stop("SIGTERM"));
    },
  };
}

/** No process of the group that was started may outlive this process, even if this process is killed. */
export function killWithParent(started: ChildProcess): void {
  const watcher = fork(KILL_WITH_PARENT, [String(started.pid)], { detached: true, stdio: "ignore" });
  watcher.unref();
  watcher.channel?.unref();
  started.once("exit", () => watcher.kill());
}

async function runCron(runtime: ChildProcess): Promise<void> {
  runtime.send("cron");
  const message = once(runtime, "message").then(([result]) => (result as CronResult).error);
  const exit = once(runtime, "exit").then(() => "the Worker ended");
  const error = await Promise.race([message, exit]);
  if (error) throw new Error(`Cron failed: ${error}`);
}

/** Null while it runs. */
function describeExit(child: ChildProcess): string | null {
  if (!hasExited(child)) return null;
  return child.exitCode === null ? `was ended by ${child.signalCode}` : `exited with code ${child.exitCode}`;
}

function hasExited(child: ChildProcess): boolean {
  return child.exitCode !== null || child.signalCode !== null;
}
