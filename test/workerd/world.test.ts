// The Worker inside its own runtime with the local world around it: it answers, and cron and the queue publish.
import {
  createExecutionContext,
  createMessageBatch,
  createScheduledController,
  getQueueResult,
  waitOnExecutionContext,
} from "cloudflare:test";
import { expect, test } from "vitest";
import worker from "../../functions/index.ts";
import { upload } from "../files/uploaded.ts";
import {
  bindings,
  type Client,
  mintAccount,
  mintTenant,
  type Nudged,
  publishedFor,
  type Refreshed,
} from "../harness.ts";
import demo from "../local/demo.mp4?inline";

/** The refreshes that one tick nudges. */
async function runCronForRefreshes(): Promise<string[]> {
  const refreshed: Refreshed[] = [];
  const context = createExecutionContext();
  await worker.scheduled(createScheduledController(), bindings([], refreshed), context);
  await waitOnExecutionContext(context);
  return refreshed.flatMap(({ refreshIds }) => refreshIds);
}

/** The deliveries that one tick nudges; those of other tests are due as well. */
async function runCron(): Promise<string[]> {
  const nudged: Nudged[] = [];
  const context = createExecutionContext();
  await worker.scheduled(createScheduledController(), bindings(nudged), context);
  await waitOnExecutionContext(context);
  return nudged.flatMap(({ deliveryIds }) => deliveryIds);
}

async function runQueue(deliveryIds: string[]) {
  const batch = createMessageBatch("deliveries", [{ id: "1", timestamp: 0, attempts: 1, body: { deliveryIds } }]);
  const context = createExecutionContext();
  await worker.queue(batch, bindings([]), context);
  return getQueueResult(batch, context);
}

async function videoOf(api: Client): Promise<string> {
  const bytes = new Uint8Array(await (await fetch(demo)).arrayBuffer());
  const answer = await upload(api, "video/mp4", bytes);
  expect(answer.status).toBe(200);
  return answer.body.data.file.url;
}

test("200 lists the accounts of the key", async () => {
  const tenant = await mintTenant();
  const { id } = await mintAccount(tenant, "tiktok");
  const answer = await tenant.api.get("/accounts");
  expect(answer.status).toBe(200);
  expect(answer.body.data.accounts).toMatchObject([{ id, platform: "tiktok" }]);
});

test("a post is found by cron, published by the queue and read back with its URL", async () => {
  const tenant = await mintTenant();
  const account = await mintAccount(tenant, "tiktok");
  const media = { type: "video", url: await videoOf(tenant.api) };
  const created = await tenant.api.post("/posts", { caption: "from workerd", accounts: [{ id: account.id }], media });
  expect(created.status).toBe(201);
  const [deliveryId = ""] = tenant.api.nudged[0]?.deliveryIds ?? [];

  expect(await runCron()).toContain(deliveryId);
  const state = async () => (await tenant.api.get(`/posts/${created.body.data.id}`)).body.data.accounts.states[0];
  await expect
    .poll(
      async () => {
        expect(await runQueue([deliveryId])).toMatchObject({ outcome: "ok", retryMessages: [] });
        return (await state()).status;
      },
      { timeout: 25_000, interval: 500 },
    )
    .toBe("posted");
  const published = await publishedFor(account);
  expect(published).toHaveLength(1);

  // The queue may bring a message again.
  await runQueue([deliveryId]);
  expect(await publishedFor(account)).toHaveLength(1);
});

test("a refresh is found by cron, read by its own queue and told", async () => {
  const { api, ...tenant } = await mintTenant();
  const { username } = await mintAccount(tenant, "tiktok", { facts: { posts: 25 } });
  const { target } = (await api.post("/analytics/targets", { platform: "tiktok", identifier: username })).body.data;
  const { refresh } = (await api.post(`/analytics/targets/${target.id}/refresh`)).body.data;
  expect(await runCronForRefreshes()).toContain(refresh.id);
  const message = { id: "1", timestamp: 0, attempts: 1, body: { refreshIds: [refresh.id] } };
  const batch = createMessageBatch("refreshes", [message]);
  const context = createExecutionContext();
  await worker.queue(batch, bindings([]), context);
  expect(await getQueueResult(batch, context)).toMatchObject({ outcome: "ok", retryMessages: [] });
  expect((await api.get(`/analytics/refreshes/${refresh.id}`)).body.data.refresh.status).toBe("completed");
  expect((await api.get("/analytics/summary?range=all")).body.data.kpis.publishedVideos.value).toBe(25);
});
