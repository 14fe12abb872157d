// End-to-end with a real `wrangler dev`: the Worker is killed during the irreversible call, and slides are rendered
// concurrently.
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, expect, test } from "vitest";
import { BASE_PATH } from "../../lib/shared/paths.ts";
import { DEMO_VIDEO } from "../files/upload-file.ts";
import { findFreePort } from "../local/free-port.ts";
import { formatDotenv, type LocalStack, startLocalStack } from "../local/stack.ts";
import { startWorker, type Worker } from "../local/worker.ts";

let folder: string;
let stack: LocalStack;
let worker: Worker;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "partner-api-e2e-"));
  stack = await startLocalStack({ folder, fresh: false, log: () => undefined });
  const varsFile = join(folder, "worker.env");
  await writeFile(varsFile, formatDotenv(stack.vars));
  worker = await startWorker({ port: await findFreePort(), folder, varsFile });
}, 120_000);

afterAll(async () => {
  await worker?.close();
  await stack?.close();
  await rm(folder, { recursive: true, force: true });
});

// biome-ignore lint/suspicious/noExplicitAny: the test reads any response.
async function callApi(method: string, path: string, body?: unknown, signal?: AbortSignal): Promise<any> {
  const answer = await fetch(`${worker.url}${BASE_PATH}${path}`, {
    method,
    signal: signal ?? null,
    headers: { Authorization: `Bearer ${stack.seed.keys.workspace}`, "Idempotency-Key": crypto.randomUUID() },
    body: body === undefined ? null : JSON.stringify(body),
  });
  const envelope = await answer.json();
  if (!answer.ok) throw new Error(JSON.stringify(envelope));
  return (envelope as { data: unknown }).data;
}

/** Simulates the passing of time: leases expire, checks are due, armed deliveries are two minutes older. */
async function waitForNextTick(): Promise<void> {
  await stack.database.query(
    "update post_deliveries set lease_until = now(), next_attempt_at = now(), armed_at = armed_at - interval '2 minutes' where next_attempt_at is not null",
    [],
  );
  await stack.database.query("update accounts set lease_until = now() where lease_until is not null", []);
}

test("a Worker that crashes between armed and confirmed does not publish twice", async () => {
  const account = stack.seed.accounts.find(
    ({ platform, key, status }) => platform === "instagram" && key === "workspace" && status === "active",
  );
  const bytes = await readFile(DEMO_VIDEO);
  const upload = await callApi("POST", "/files", { contentType: "video/mp4", size: bytes.length });
  await fetch(upload.uploadUrl, { method: "PUT", headers: upload.headers, body: new Uint8Array(bytes) });
  const { file } = await callApi("POST", `/files/${upload.id}/finalize`, {});
  stack.networks.addScript({ network: "instagram", answer: "stall", call: "media_publish", times: 1 });
  const post = await callApi("POST", "/posts", {
    caption: "survives",
    accounts: [{ id: account?.id }],
    media: { type: "video", url: file.url },
  });

  // The call took effect at the network and its response is delayed: now the Worker crashes.
  for (let waited = 0; stack.networks.published().instagram?.length !== 1; waited += 200) {
    if (waited > 60_000) throw new Error("the post never reached the network");
    await sleep(200);
    if (waited % 5_000 === 0) await worker.runCron();
  }
  const [armed] = await stack.database.query<{ stage: string }>("select stage from post_deliveries", []);
  expect(armed?.stage).toBe("armed");
  await worker.crash();

  for (let waited = 0; waited < 60_000; waited += 1_000) {
    await waitForNextTick();
    await worker.runCron();
    await sleep(1_000);
    if ((await callApi("GET", `/posts/${post.id}`)).status === "posted") break;
  }
  const seen = await callApi("GET", `/posts/${post.id}`);
  expect(seen.status).toBe("posted");
  expect(seen.accounts.states[0].published_url).toMatch(/instagram\.com/);
  expect(stack.networks.published().instagram).toHaveLength(1);
}, 180_000);

test("200 for twenty concurrent renders, also after clients disconnected", async () => {
  const image = await readFile(join(import.meta.dirname, "../media/fixtures/baseline.jpg"));
  const upload = await callApi("POST", "/files", { contentType: "image/jpeg", size: image.length });
  await fetch(upload.uploadUrl, { method: "PUT", headers: upload.headers, body: new Uint8Array(image) });
  const { file } = await callApi("POST", `/files/${upload.id}/finalize`, {});
  async function render(signal?: AbortSignal) {
    const text_elements = [{ content: crypto.randomUUID(), x: 50, y: 50 }];
    const { id } = await callApi("POST", "/slideshows", { slides: [{ text_elements, image_url: file.url }] });
    return callApi("POST", `/slideshows/${id}/render`, undefined, signal);
  }
  const statuses = async () =>
    (await Promise.all(Array.from({ length: 20 }, () => render()))).map(({ status }) => status);
  expect(new Set(await statuses())).toEqual(new Set(["rendered"]));
  await Promise.allSettled(Array.from({ length: 8 }, (_, at) => render(AbortSignal.timeout(100 + at * 30))));
  expect(new Set(await statuses())).toEqual(new Set(["rendered"]));
}, 120_000);
