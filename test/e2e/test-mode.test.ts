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
import { publishHundred } from "./publish-hundred.ts";

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
  await publishHundred((method, path, body) => deployment.callApi(method, path, body, { key }));
}, 300_000);
