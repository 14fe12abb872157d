// A Worker of the local stack that dies is started again, and the next requests are answered.
import { execFileSync } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, expect, test } from "vitest";
import { BASE_PATH } from "../../lib/shared/paths.ts";
import { findFreePort } from "../local/free-port.ts";
import { formatDotenv, type LocalStack, startLocalStack } from "../local/stack.ts";
import { startWorker, type Worker } from "../local/worker.ts";

const RESTART_MS = 120_000;
const REQUEST_MS = 20_000;
/** On a busy machine a runtime takes a minute to start. */
const TEST_MS = 300_000;

let folder: string;
let stack: LocalStack;
let worker: Worker;
const lines: string[] = [];

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "partner-api-restart-"));
  stack = await startLocalStack({ folder, fresh: false, log: () => undefined });
  const varsFile = join(folder, "worker.env");
  await writeFile(varsFile, formatDotenv(stack.vars));
  worker = await startWorker({ port: await findFreePort(), folder, varsFile, log: (line) => lines.push(line) });
}, 120_000);

afterAll(async () => {
  await worker?.close();
  await stack?.close();
  await rm(folder, { recursive: true, force: true });
});

/** The status of the first request that is answered, after those that find no server. */
async function requestUntilAnswered(): Promise<number> {
  const deadline = Date.now() + RESTART_MS;
  for (;;) {
    try {
      const headers = { Authorization: `Bearer ${stack.seed.keys.workspace}` };
      const signal = AbortSignal.timeout(REQUEST_MS);
      const response = await fetch(`${worker.url}${BASE_PATH}/accounts`, { headers, signal });
      await response.body?.cancel();
      return response.status;
    } catch (error) {
      if (Date.now() > deadline) throw error;
      await sleep(200);
    }
  }
}

/** The runtime that wrangler started for the Workers. */
function findRuntimes(): number[] {
  const table = execFileSync("ps", ["-A", "-o", "pid=,pgid=,comm="], { encoding: "utf8" });
  return table
    .split("\n")
    .map((line) => line.trim().split(/\s+/))
    .filter(([, group, command]) => Number(group) === worker.pid() && command?.includes("workerd"))
    .map(([pid]) => Number(pid));
}

test(
  "after wrangler is killed, the next request is answered, and the log says what happened",
  async () => {
    expect(await requestUntilAnswered()).toBe(200);
    const killed = worker.pid();
    process.kill(killed, "SIGKILL");
    await expect.poll(() => lines.length, { timeout: RESTART_MS, interval: 100 }).toBe(2);
    expect(await requestUntilAnswered()).toBe(200);
    expect(lines).toEqual([
      "The Worker stopped (was ended by SIGKILL). It is started again; requests fail until then.",
      "The Worker runs again.",
    ]);
    expect(worker.pid()).not.toBe(killed);
  },
  TEST_MS,
);

test(
  "after the runtime is killed, the next request is answered, and the log says what happened",
  async () => {
    lines.length = 0;
    const pids = findRuntimes();
    expect(pids.length).toBeGreaterThan(0);
    for (const pid of pids) process.kill(pid, "SIGKILL");
    await expect.poll(() => lines.length, { timeout: RESTART_MS, interval: 100 }).toBe(2);
    expect(lines).toEqual([
      "The Worker stopped (its runtime crashed). It is started again; requests fail until then.",
      "The Worker runs again.",
    ]);
    expect(await requestUntilAnswered()).toBe(200);
  },
  TEST_MS,
);

test(
  "a crash on purpose and the end of the stack are not reported",
  async () => {
    lines.length = 0;
    await worker.crash();
    expect(await requestUntilAnswered()).toBe(200);
    await sleep(3_500);
    expect(lines).toEqual([]);
  },
  TEST_MS,
);
