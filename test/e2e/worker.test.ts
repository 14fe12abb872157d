// End-to-end with a real `wrangler dev`: the Worker is killed during the irreversible call, and slides are rendered
// concurrently.
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { expect, test } from "vitest";
import { DEMO_VIDEO } from "../files/upload-file.ts";
import { openCustomer } from "./customer.ts";
import { useDeployment } from "./deployment.ts";

const deployment = useDeployment("e2e");
const { callApi } = deployment;
const customer = openCustomer(deployment);

/** Simulates the passing of time: leases expire, checks are due, armed deliveries are two minutes older. */
async function waitForNextTick(): Promise<void> {
  const { stack } = deployment;
  await stack.database.query(
    "update post_deliveries set lease_until = now(), next_attempt_at = now(), armed_at = armed_at - interval '2 minutes' where next_attempt_at is not null",
    [],
  );
  await stack.database.query("update accounts set lease_until = now() where lease_until is not null", []);
}

test("a Worker that crashes between armed and confirmed does not publish twice", async () => {
  const { stack, worker } = deployment;
  const account = stack.seed.accounts.find(
    ({ platform, key, status }) => platform === "instagram" && key === "workspace" && status === "active",
  );
  const url = await customer.uploadFile("video/mp4", await readFile(DEMO_VIDEO));
  stack.networks.addScript({ network: "instagram", answer: "stall", call: "media_publish", times: 1 });
  const post = await callApi("POST", "/posts", {
    caption: "survives",
    accounts: [{ id: account?.id }],
    media: { type: "video", url },
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
  const image_url = await customer.uploadFile("image/jpeg", image);
  async function render(signal?: AbortSignal) {
    const text_elements = [{ content: crypto.randomUUID(), x: 50, y: 50 }];
    const { id } = await callApi("POST", "/slideshows", { slides: [{ text_elements, image_url }] });
    return callApi("POST", `/slideshows/${id}/render`, undefined, signal ? { signal } : {});
  }
  const statuses = async () =>
    (await Promise.all(Array.from({ length: 20 }, () => render()))).map(({ status }) => status);
  expect(new Set(await statuses())).toEqual(new Set(["rendered"]));
  await Promise.allSettled(Array.from({ length: 8 }, (_, at) => render(AbortSignal.timeout(100 + at * 30))));
  expect(new Set(await statuses())).toEqual(new Set(["rendered"]));
}, 120_000);
