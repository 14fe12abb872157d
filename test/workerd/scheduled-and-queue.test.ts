// The Worker in its runtime on the local stack: requests, cron and queue.
import {
  createExecutionContext,
  createMessageBatch,
  createScheduledController,
  getQueueResult,
  waitOnExecutionContext,
} from "cloudflare:test";
import { expect, test } from "vitest";
import worker from "../../functions/index.ts";
import { uploadFile } from "../files/upload-file.ts";
import demo from "../local/demo.mp4?inline";
import { listLeastScopes } from "../local/networks/permissions/table.ts";
import {
  type Client,
  createBindings,
  createTestAccount,
  createTestTenant,
  type EnqueuedDeliveries,
  type EnqueuedRefreshes,
  readPublished,
} from "../support/harness.ts";

/** The refreshes that one cron tick enqueues. */
async function runCronForRefreshes(): Promise<string[]> {
  const enqueued: EnqueuedRefreshes[] = [];
  const context = createExecutionContext();
  await worker.scheduled(createScheduledController(), createBindings([], enqueued), context);
  await waitOnExecutionContext(context);
  return enqueued.flatMap(({ refreshIds }) => refreshIds);
}

/** The deliveries that one cron tick enqueues, including those of other tests. */
async function runCron(): Promise<string[]> {
  const enqueued: EnqueuedDeliveries[] = [];
  const context = createExecutionContext();
  await worker.scheduled(createScheduledController(), createBindings(enqueued), context);
  await waitOnExecutionContext(context);
  return enqueued.flatMap(({ deliveryIds }) => deliveryIds);
}

async function runQueue(deliveryIds: string[]) {
  const batch = createMessageBatch("deliveries", [{ id: "1", timestamp: 0, attempts: 1, body: { deliveryIds } }]);
  const context = createExecutionContext();
  await worker.queue(batch, createBindings([]), context);
  return getQueueResult(batch, context);
}

async function uploadVideo(api: Client): Promise<string> {
  const bytes = new Uint8Array(await (await fetch(demo)).arrayBuffer());
  const answer = await uploadFile(api, "video/mp4", bytes);
  expect(answer.status).toBe(200);
  return answer.body.data.file.url;
}

test("200 lists the accounts of the key", async () => {
  const tenant = await createTestTenant();
  const { id } = await createTestAccount(tenant, "tiktok");
  const answer = await tenant.api.get("/accounts");
  expect(answer.status).toBe(200);
  expect(answer.body.data.accounts).toMatchObject([{ id, platform: "tiktok" }]);
});

test("a post is enqueued by cron, published by the queue and returned with its URL", async () => {
  const tenant = await createTestTenant();
  const account = await createTestAccount(tenant, "tiktok");
  const media = { type: "video", url: await uploadVideo(tenant.api) };
  const created = await tenant.api.post("/posts", { caption: "from workerd", accounts: [{ id: account.id }], media });
  expect(created.status).toBe(201);
  const [deliveryId = ""] = tenant.api.enqueuedDeliveries[0]?.deliveryIds ?? [];

  expect(await runCron()).toContain(deliveryId);
  const state = async () => (await tenant.api.get(`/posts/${created.body.data.id}`)).body.data.accounts.states[0];
  await expect
    .poll(
      async () => {
        expect(await runQueue([deliveryId])).toMatchObject({ outcome: "ok", retryMessages: [] });
        return (await state()).status;
      },
      { interval: 500 },
    )
    .toBe("posted");
  const published = await readPublished(account);
  expect(published).toHaveLength(1);

  // Queues deliver at least once.
  await runQueue([deliveryId]);
  expect(await readPublished(account)).toHaveLength(1);
});

test("a refresh is enqueued by cron, run by its queue and returned", async () => {
  const { api, ...tenant } = await createTestTenant();
  const scopes = [...listLeastScopes("tiktok"), "video.list"];
  const { username } = await createTestAccount(tenant, "tiktok", { facts: { posts: 25 }, scopes });
  const { target } = (await api.post("/analytics/targets", { platform: "tiktok", identifier: username })).body.data;
  const { refresh } = (await api.post(`/analytics/targets/${target.id}/refresh`)).body.data;
  expect(await runCronForRefreshes()).toContain(refresh.id);
  const message = { id: "1", timestamp: 0, attempts: 1, body: { refreshIds: [refresh.id] } };
  const batch = createMessageBatch("refreshes", [message]);
  const context = createExecutionContext();
  await worker.queue(batch, createBindings([]), context);
  expect(await getQueueResult(batch, context)).toMatchObject({ outcome: "ok", retryMessages: [] });
  expect((await api.get(`/analytics/refreshes/${refresh.id}`)).body.data.refresh.status).toBe("completed");
  expect((await api.get("/analytics/summary?range=all")).body.data.kpis.publishedVideos.value).toBe(25);
});
