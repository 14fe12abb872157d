// A Worker of the local stack that dies is started again, and the next requests are answered.
import { execFileSync } from "node:child_process";
import { setTimeout as sleep } from "node:timers/promises";
import { expect, test } from "vitest";
import { BASE_PATH } from "../../lib/shared/paths.ts";
import { useDeployment } from "./deployment.ts";

const RESTART_MS = 120_000;
const REQUEST_MS = 20_000;
/** On a busy machine a runtime takes a minute to start. */
const TEST_MS = 300_000;

const lines: string[] = [];
const deployment = useDeployment("restart", (line) => lines.push(line));

/** The status of the first request that is answered, after those that find no server. */
async function requestUntilAnswered(): Promise<number> {
  const deadline = Date.now() + RESTART_MS;
  for (;;) {
    try {
      const headers = { Authorization: `Bearer ${deployment.stack.seed.keys.workspace}` };
      const signal = AbortSignal.timeout(REQUEST_MS);
      const response = await fetch(`${deployment.worker.url}${BASE_PATH}/accounts`, { headers, signal });
      await response.body?.cancel();
      return response.status;
    } catch (error) {
      if (Date.now() > deadline) throw error;
      await sleep(200);
    }
  }
}

/** The runtime of the Workers. */
function findRuntimes(): number[] {
  const table = execFileSync("ps", ["-A", "-o", "pid=,pgid=,comm="], { encoding: "utf8" });
  return table
    .split("\n")
    .map((line) => line.trim().split(/\s+/))
    .filter(([, group, command]) => Number(group) === deployment.worker.pid() && command?.includes("workerd"))
    .map(([pid]) => Number(pid));
}

test(
  "after the process of the Workers is killed, the next request is answered, and the log says what happened",
  async () => {
    expect(await requestUntilAnswered()).toBe(200);
    const killed = deployment.worker.pid();
    process.kill(killed, "SIGKILL");
    await expect.poll(() => lines.length, { timeout: RESTART_MS, interval: 100 }).toBe(2);
    expect(await requestUntilAnswered()).toBe(200);
    expect(lines).toEqual([
      "The Worker stopped (was ended by SIGKILL). It is started again; requests fail until then.",
      "The Worker runs again.",
    ]);
    expect(deployment.worker.pid()).not.toBe(killed);
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
    await deployment.worker.crash();
    expect(await requestUntilAnswered()).toBe(200);
    await sleep(3_500);
    expect(lines).toEqual([]);
  },
  TEST_MS,
);
