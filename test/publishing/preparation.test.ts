// Preparation before the due time: what is left for it, and what drops it.
import { sql } from "drizzle-orm";
import { expect, test } from "vitest";
import { publishDue } from "../../lib/publishing/publish-due.ts";
import { MINUTE_MS } from "../../lib/shared/durations.ts";
import { uploadDemoVideo } from "../files/upload-file.ts";
import { createTestPublisher, queryRows } from "../support/harness.ts";
import { runQueue } from "../support/queue.ts";
import {
  type ConnectedAccount,
  connectAccount,
  createDelivery,
  readDelivery,
  scriptNetwork,
} from "./scripted-network.ts";

/** A reel that is due in 30 minutes, and a publisher whose clock is at the time of its preparation. */
async function scheduleReel() {
  const setting = await connectAccount("instagram");
  const media = { type: "video" as const, url: await uploadDemoVideo(setting.tenant.api) };
  const now = new Date();
  const dueAt = new Date(now.getTime() + 30 * MINUTE_MS);
  const id = await createDelivery(setting, now, { scheduledAt: dueAt, media, caption: "before" });
  const [row] = await queryRows<{ post_id: string }>(sql`select post_id from post_deliveries where id = ${id}`);
  return { setting, id, postId: row?.post_id ?? "", dueAt, preparedAt: new Date(dueAt.getTime() - 10 * MINUTE_MS) };
}

async function prepareReel() {
  const reel = await scheduleReel();
  const network = scriptNetwork({});
  const publisher = createTestPublisher(reel.preparedAt, { fetch: network.fetch });
  await publishDue(publisher.services, [reel.id], "uploads");
  expect(await readDelivery(reel.id)).toMatchObject({ status: "scheduled", stage: "started", next: reel.dueAt });
  return { ...reel, network, publisher };
}

const setAccountStatus = ({ account }: ConnectedAccount, status: string) =>
  queryRows(sql`update accounts set status = ${status} where id = ${account.id} returning id`);

test("a scheduled video that its network processes for a minute is published within two seconds of its time", async () => {
  const { id, dueAt, preparedAt } = await scheduleReel();
  const clock = { advance: (_ms: number) => {}, now: () => 0 };
  const status = () => {
    clock.advance(300);
    const done = clock.now() >= preparedAt.getTime() + MINUTE_MS;
    return Response.json({ status_code: done ? "FINISHED" : "IN_PROGRESS" });
  };
  const calledAt: { name: string; at: number }[] = [];
  const network = scriptNetwork({ status: [status] });
  const fetch = (async (input, init) => {
    const answer = await network.fetch(input, init);
    calledAt.push({ name: network.calls.at(-1)?.name ?? "", at: clock.now() });
    return answer;
  }) as typeof globalThis.fetch;
  const publisher = createTestPublisher(preparedAt, { fetch });
  clock.advance = publisher.advance;
  clock.now = () => publisher.services.clock().getTime();
  publisher.services.enqueueDeliveries([id], 0, "uploads");
  await runQueue(publisher, new Date(dueAt.getTime() + 5 * MINUTE_MS));
  const [row] = await queryRows<{ late: number }>(
    sql`select extract(epoch from published_at - due_at)::float8 as late from post_deliveries where id = ${id}`,
  );
  expect(row?.late).toBeLessThanOrEqual(2);
  const whenDue = calledAt.filter(({ at }) => at >= dueAt.getTime() - 1_000).map(({ name }) => name);
  expect(whenDue).toEqual(["publish", "permalink"]);
});

test("a change of the post drops what was prepared, and the new content is published", async () => {
  const { setting, id, postId, dueAt, network, publisher } = await prepareReel();
  const answer = await setting.tenant.api.patch(`/posts/${postId}`, { caption: "after" });
  expect(answer.status).toBe(200);
  expect(await readDelivery(id)).toMatchObject({ stage: "new", handle: null });
  publisher.services.enqueueDeliveries([id], 0, "uploads");
  await runQueue(publisher, dueAt);
  expect(await readDelivery(id)).toMatchObject({ status: "posted" });
  const captions = network.calls.filter(({ name }) => name === "container").map(({ init }) => String(init.body));
  expect(captions.map((body) => body.includes("after"))).toEqual([false, true]);
});

test("a change during the preparation takes it away, and the preparation stores nothing", async () => {
  const { setting, id, postId, preparedAt } = await scheduleReel();
  let status = 0;
  const edit = async () => {
    ({ status } = await setting.tenant.api.patch(`/posts/${postId}`, { caption: "after" }));
    return Response.json({ id: "17801" });
  };
  const { services } = createTestPublisher(preparedAt, { fetch: scriptNetwork({ container: [edit] }).fetch });
  await publishDue(services, [id], "uploads");
  expect(status).toBe(200);
  expect(await readDelivery(id)).toMatchObject({ status: "scheduled", stage: "new", handle: null, leaseToken: null });
});

test("a deleted post that was prepared is not published", async () => {
  const { setting, id, postId, dueAt, network, publisher } = await prepareReel();
  const answer = await setting.tenant.api.post("/posts/delete", { post_ids: [postId] });
  expect(answer.body.data.deletedIds).toEqual([postId]);
  publisher.advance(dueAt.getTime() - publisher.services.clock().getTime());
  await publishDue(publisher.services, [id], "uploads");
  expect(network.countCalls("publish")).toBe(0);
});

test("what was prepared is dropped when its account is paused at the due time", async () => {
  const { setting, id, dueAt, network, publisher } = await prepareReel();
  await setAccountStatus(setting, "paused");
  publisher.advance(dueAt.getTime() - publisher.services.clock().getTime());
  await publishDue(publisher.services, [id], "uploads");
  expect(await readDelivery(id)).toMatchObject({
    status: "retry",
    error_code: "account_paused",
    stage: "new",
    handle: null,
  });
  expect(network.countCalls("publish")).toBe(0);
});

test("a preparation that fails is tried again and puts the post at risk until it succeeds", async () => {
  const { setting, id, postId, preparedAt } = await scheduleReel();
  const network = scriptNetwork({ container: [() => Response.json({}, { status: 500 }), { id: "17801" }] });
  const { services, enqueuedDeliveries } = createTestPublisher(preparedAt, { fetch: network.fetch });
  await publishDue(services, [id], "uploads");
  expect(await readDelivery(id)).toMatchObject({ status: "scheduled", stage: "new", error_code: null, attempts: 0 });
  expect(enqueuedDeliveries).toEqual([{ deliveryIds: [id], kind: "uploads", delaySeconds: 60 }]);
  const readRisk = async () => (await setting.tenant.api.get(`/posts/${postId}`)).body.data.accounts.states[0].at_risk;
  expect(await readRisk()).toEqual({ code: "preparation_failed", reason: "Instagram had an internal error." });
  const later = new Date(preparedAt.getTime() + 60_000);
  await publishDue(createTestPublisher(later, { fetch: network.fetch }).services, [id], "uploads");
  expect(await readRisk()).toBeNull();
});
