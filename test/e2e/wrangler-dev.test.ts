// `wrangler dev --env preview`: the Worker of a branch by the command line tool, with no queue and no cron.
import { spawn } from "node:child_process";
import { mkdtemp, open, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, expect, test } from "vitest";
import { BASE_PATH } from "../../lib/shared/paths.ts";
import { findFreePort } from "../local/free-port.ts";
import { formatDotenv, type LocalStack, startLocalStack } from "../local/stack.ts";
import { killWithParent } from "../local/worker.ts";
import { WRANGLER_ENVIRONMENT } from "../local/wrangler-environment.ts";
import { callDeployed } from "./deployment.ts";
import { publishHundred } from "./publish-hundred.ts";

const ROOT = join(import.meta.dirname, "../..");
const WRANGLER = join(ROOT, "node_modules/wrangler/bin/wrangler.js");
/** It builds packages, pages and the Worker first; on a busy machine that takes minutes. */
const START_MS = 400_000;

let folder: string;
let url: string;
let stack: LocalStack;
let child: ReturnType<typeof spawn>;

const readLog = () => readFile(join(folder, "wrangler.log"), "utf8");

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "partner-api-wrangler-dev-"));
  stack = await startLocalStack({ folder, fresh: false, log: () => undefined });
  const port = await findFreePort();
  url = `http://127.0.0.1:${port}`;
  const envFile = join(folder, "worker.env");
  const settings = { ...stack.vars, ENVIRONMENT: "preview", PUBLIC_URL: url };
  await writeFile(envFile, formatDotenv(settings), { mode: 0o600 });
  const log = await open(join(folder, "wrangler.log"), "a");
  const options = ["--env", "preview", "--env-file", envFile, "--ip", "127.0.0.1", "--port", String(port)];
  child = spawn(process.execPath, [WRANGLER, "dev", ...options, "--inspector-port", "0", "--persist-to", folder], {
    ...{ cwd: ROOT, detached: true, stdio: ["ignore", log.fd, log.fd] },
    env: { ...process.env, ...WRANGLER_ENVIRONMENT },
  });
  killWithParent(child);
  await log.close();
  while (!(await responds())) {
    if (child.exitCode !== null) throw new Error(`wrangler dev ended:\n${await readLog()}`);
    await sleep(500);
  }
}, START_MS);

afterAll(async () => {
  if (child?.pid && child.exitCode === null) {
    const exited = new Promise((resolve) => child.once("exit", resolve));
    process.kill(-child.pid, "SIGTERM");
    await Promise.race([exited, sleep(5_000)]);
  }
  try {
    process.kill(-(child?.pid ?? 0), "SIGKILL");
  } catch {}
  await stack?.close();
  await rm(folder, { recursive: true, force: true });
});

async function responds(): Promise<boolean> {
  const response = await fetch(`${url}${BASE_PATH}/health`, { signal: AbortSignal.timeout(5_000) }).catch(() => null);
  return response?.ok ?? false;
}
test("100 posts, five of them scheduled, are published by requests and an advance alone", async () => {
  await publishHundred((method, path, body) => callDeployed(url, { method, path, body, key: stack.seed.keys.test }));
  const scheduled = await fetch(`${url}/cdn-cgi/handler/scheduled`);
  expect(await scheduled.text()).not.toBe("ok");
  const refusal = "Handler does not export a scheduled() function";
  await expect.poll(readLog).toContain(refusal);
  const log = await readLog();
  // Invocations by a queue or cron have request ids that begin so, and wrangler prints each batch of a queue.
  expect(log).toContain('"endpoint":"sandbox.advance"');
  expect(log).not.toMatch(/"request_id":"(queue|cron)\.|^QUEUE /m);
  // There is no queue to send to.
  expect(log).toContain("env.ASSETS");
  expect(log).not.toMatch(/env\.(DELIVERIES|UPLOADS|CONFIRMATIONS|REFRESHES|WEBHOOKS)/);
}, 400_000);

test("its tools for agents are there for the test key, and 403 test_key_required for a live one", async () => {
  const list = async (key: string) => {
    const response = await fetch(`${url}/mcp`, {
      method: "POST",
      headers: {
        ...{ Authorization: `Bearer ${key}`, "Content-Type": "application/json" },
        Accept: "application/json, text/event-stream",
      },
      body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/list", params: {} }),
    });
    return { status: response.status, text: await response.text() };
  };
  const { test: own, workspace } = stack.seed.keys;
  const listed = await list(own);
  expect([listed.status, listed.text]).toEqual([200, expect.stringContaining('"name":"commit_post"')]);
  const refused = await list(workspace);
  expect([refused.status, refused.text]).toEqual([403, expect.stringContaining('"test_key_required"')]);
}, 60_000);
