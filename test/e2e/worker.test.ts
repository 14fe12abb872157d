// The whole of it with a real `wrangler dev`: the Worker is killed while the irreversible call is in the air, and many
// draw at once.
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, expect, test } from "vitest";
import { BASE_PATH } from "../../lib/paths.ts";
import { DEMO_VIDEO } from "../files/uploaded.ts";
import { startWorker, type Worker } from "../local/worker.ts";
import { dotenv, startWorld, type World } from "../local/world.ts";

let folder: string;
let world: World;
let worker: Worker;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "partner-api-e2e-"));
  world = await startWorld({ folder, fresh: false, say: () => undefined });
  const varsFile = join(folder, "worker.env");
  await writeFile(varsFile, dotenv(world.vars));
  worker = await startWorker({ port: await freePort(), folder, varsFile });
}, 120_000);

afterAll(async () => {
  await worker?.close();
  await world?.close();
  await rm(folder, { recursive: true, force: true });
});

function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const probe = createServer().listen(0, "127.0.0.1", () => {
      const { port } = probe.address() as { port: number };
      probe.close(() => resolve(port));
    });
  });
}

// biome-ignore lint/suspicious/noExplicitAny: the test reads whatever an answer holds.
async function api(method: string, path: string, body?: unknown, signal?: AbortSignal): Promise<any> {
  const answer = await fetch(`${worker.url}${BASE_PATH}${path}`, {
    method,
    signal: signal ?? null,
    headers: { Authorization: `Bearer ${world.seed.keys.workspace}`, "Idempotency-Key": crypto.randomUUID() },
    body: body === undefined ? null : JSON.stringify(body),
  });
  const envelope = await answer.json();
  if (!answer.ok) throw new Error(JSON.stringify(envelope));
  return (envelope as { data: unknown }).data;
}

/** As if so much time had passed for the publisher: leases are over, checks are due, what was armed is long ago. */
async function timePasses(): Promise<void> {
  await world.database.query(
    "update post_deliveries set lease_until = now(), next_attempt_at = now(), armed_at = armed_at - interval '2 minutes' where next_attempt_at is not null",
    [],
  );
  await world.database.query("update accounts set lease_until = now() where lease_until is not null", []);
}

test("a Worker that dies between armed and confirmed makes no second publication", async () => {
  const account = world.seed.accounts.find(
    ({ platform, key, status }) => platform === "instagram" && key === "workspace" && status === "active",
  );
  const bytes = await readFile(DEMO_VIDEO);
  const upload = await api("POST", "/files", { contentType: "video/mp4", size: bytes.length });
  await fetch(upload.uploadUrl, { method: "PUT", headers: upload.headers, body: new Uint8Array(bytes) });
  const { file } = await api("POST", `/files/${upload.id}/finalize`, {});
  world.networks.behave({ network: "instagram", answer: "stall", call: "media_publish", times: 1 });
  const post = await api("POST", "/posts", {
    caption: "survives",
    accounts: [{ id: account?.id }],
    media: { type: "video", url: file.url },
  });

  // The call took effect at the network and its answer is held back: now the Worker dies.
  for (let waited = 0; world.networks.published().instagram?.length !== 1; waited += 200) {
    if (waited > 60_000) throw new Error("the post never reached the network");
    await sleep(200);
    if (waited % 5_000 === 0) await worker.tick();
  }
  const [armed] = await world.database.query<{ stage: string }>("select stage from post_deliveries", []);
  expect(armed?.stage).toBe("armed");
  await worker.crash();

  for (let waited = 0; waited < 60_000; waited += 1_000) {
    await timePasses();
    await worker.tick();
    await sleep(1_000);
    if ((await api("GET", `/posts/${post.id}`)).status === "posted") break;
  }
  const seen = await api("GET", `/posts/${post.id}`);
  expect(seen.status).toBe("posted");
  expect(seen.accounts.states[0].published_url).toMatch(/instagram\.com/);
  expect(world.networks.published().instagram).toHaveLength(1);
}, 180_000);

test("200 for twenty renders at once, and after callers that went away", async () => {
  const picture = await readFile(join(import.meta.dirname, "../media/fixtures/baseline.jpg"));
  const upload = await api("POST", "/files", { contentType: "image/jpeg", size: picture.length });
  await fetch(upload.uploadUrl, { method: "PUT", headers: upload.headers, body: new Uint8Array(picture) });
  const { file } = await api("POST", `/files/${upload.id}/finalize`, {});
  async function render(signal?: AbortSignal) {
    const text_elements = [{ content: crypto.randomUUID(), x: 50, y: 50 }];
    const { id } = await api("POST", "/slideshows", { slides: [{ text_elements, image_url: file.url }] });
    return api("POST", `/slideshows/${id}/render`, undefined, signal);
  }
  const statuses = async () =>
    (await Promise.all(Array.from({ length: 20 }, () => render()))).map(({ status }) => status);
  expect(new Set(await statuses())).toEqual(new Set(["rendered"]));
  await Promise.allSettled(Array.from({ length: 8 }, (_, at) => render(AbortSignal.timeout(100 + at * 30))));
  expect(new Set(await statuses())).toEqual(new Set(["rendered"]));
}, 120_000);
