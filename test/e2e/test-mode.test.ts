// Test mode on the built Workers: the file that the guide gives to an integrator, and a deployment of a branch, which consumes no
// queue and has no cron.
import { execFile } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, onTestFinished, test } from "vitest";
import { readGuides } from "../../functions/build/documentation.ts";
import { BASE_PATH } from "../../lib/shared/paths.ts";
import { useDeployment } from "./deployment.ts";

const DAY_MS = 24 * 60 * 60 * 1000;
const deployment = useDeployment("test-mode");

test("the file of the guide passes from an empty folder", async () => {
  const guide = (await readGuides()).find(({ id }) => id === "test-without-publishing")?.text ?? "";
  const [, code = ""] = /^```js\n([\s\S]*?)^```$/m.exec(guide) ?? [];
  const cwd = await mkdtemp(join(tmpdir(), "publish-"));
  onTestFinished(() => rm(cwd, { recursive: true, force: true }));
  await writeFile(join(cwd, "publish.test.mjs"), code);
  const env = { API: deployment.worker.url + BASE_PATH, KEY: deployment.stack.seed.keys.test };
  const { stdout } = await promisify(execFile)(process.execPath, ["publish.test.mjs"], { cwd, env });
  expect(stdout).toBe("The post was published a day later.\n");
}, 120_000);

test("a deployment of a branch publishes by requests and an advance, and refuses live keys", async () => {
  await deployment.deploy({ ENVIRONMENT: "preview" });
  const key = deployment.stack.seed.keys.test;
  await expect(deployment.callApi("GET", "/accounts")).rejects.toThrow("test_key_required");
  const { accounts } = await deployment.callApi("GET", "/accounts", undefined, { key });
  const account = accounts.find(({ platform }: { platform: string }) => platform === "bluesky");
  await deployment.callApi("POST", "/sandbox/reset", undefined, { key });
  for (let index = 0; index < 100; index++) {
    const scheduled_at = index < 95 ? {} : { scheduled_at: new Date(Date.now() + (index - 93) * DAY_MS).toISOString() };
    const body = { caption: `Post ${index}`, accounts: [{ id: account.id }], ...scheduled_at };
    await deployment.callApi("POST", "/posts", body, { key });
  }
  const count = async (status: string) =>
    (await deployment.callApi("GET", `/posts?status=${status}&limit=100`, undefined, { key })).posts.length;
  await expect.poll(() => count("posted"), { timeout: 60_000 }).toBe(95);
  const to = new Date(Date.now() + 10 * DAY_MS).toISOString();
  for (let more = true; more; ) {
    ({ more } = await deployment.callApi("POST", "/sandbox/advance", { to }, { key }));
  }
  expect(await count("posted")).toBe(100);
}, 180_000);
