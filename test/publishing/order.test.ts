// Order of deliveries per account: the first due is published first, whichever delivery was enqueued.
import { setTimeout as sleep } from "node:timers/promises";
import { sql } from "drizzle-orm";
import { expect, test } from "vitest";
import { publishDue } from "../../lib/publishing/publish-due.ts";
import { createTestPublisher, createTestTenant, openTestDatabase, queryRows } from "../support/harness.ts";
import { runQueue } from "../support/queue.ts";
import {
  afterNoon,
  connectAccount,
  createDelivery,
  NOON,
  readDelivery,
  respondWith,
  scriptNetwork,
  updateDeliveries,
  withFailingStatements,
} from "./scripted-network.ts";

test("a message for a later delivery publishes the earlier ones of its account first", async () => {
  const setting = await connectAccount("instagram");
  const first = await createDelivery(setting, NOON, { caption: "first" });
  const second = await createDelivery(setting, afterNoon(1), { caption: "second" });
  const network = scriptNetwork({});
  const { services } = createTestPublisher(afterNoon(1_000), { fetch: network.fetch });
  await publishDue(services, [second]);
  const captions = network.calls.filter(({ name }) => name === "container").map(({ init }) => String(init.body));
  expect(captions.map((body) => (body.includes("first") ? "first" : "second"))).toEqual(["first", "second"]);
  for (const id of [first, second]) expect(await readDelivery(id)).toMatchObject({ status: "posted", next: null });
});

test("a message for a finished delivery publishes other due deliveries of its account", async () => {
  const setting = await connectAccount("instagram");
  const [done, due] = [await createDelivery(setting, NOON), await createDelivery(setting, afterNoon(1))];
  await updateDeliveries([done], sql`status = 'posted', stage = 'done', next_attempt_at = null`);
  const { services } = createTestPublisher(afterNoon(1_000), { fetch: scriptNetwork({}).fetch });
  await publishDue(services, [done]);
  expect(await readDelivery(due)).toMatchObject({ status: "posted" });
});

test("a delivery that is not due yet is not published with its account", async () => {
  const setting = await connectAccount("instagram");
  const [due, future] = [await createDelivery(setting, NOON), await createDelivery(setting, afterNoon(60_000))];
  const { services } = createTestPublisher(afterNoon(1_000), { fetch: scriptNetwork({}).fetch });
  await publishDue(services, [due, future]);
  expect(await readDelivery(due)).toMatchObject({ status: "posted" });
  expect(await readDelivery(future)).toMatchObject({ stage: "new", leaseUntil: null });
});

test("an account that moved to another workspace is not published to from the previous one", async () => {
  const setting = await connectAccount("instagram");
  const [fresh, begun] = [await createDelivery(setting, NOON), await createDelivery(setting, NOON)];
  await updateDeliveries(
    [begun],
    sql`stage = 'armed', armed_at = ${NOON.toISOString()}, handle = '{"container": "17801", "startedAt": 0}'`,
  );
  const { workspaceId } = await createTestTenant();
  await queryRows(sql`update accounts set workspace_id = ${workspaceId} where id = ${setting.account.id} returning id`);
  const network = scriptNetwork({ status: [{ status_code: "PUBLISHED" }] });
  await publishDue(createTestPublisher(afterNoon(120_000), { fetch: network.fetch }).services, [fresh, begun]);
  expect(await readDelivery(fresh)).toMatchObject({ status: "failed", error_code: "account_moved", next: null });
  // A delivery that may be published is reconciled anyway.
  expect(await readDelivery(begun)).toMatchObject({ status: "posted" });
  expect(network.countCalls("container")).toBe(0);
});

test("ten posts of one account, five seconds apart, leave within two seconds, although the network moderates each for 15", async () => {
  const setting = await connectAccount("tiktok");
  const clock = { advance: (_ms: number) => {}, now: () => 0 };
  const acceptedAt: number[] = [];
  const accept = () => {
    acceptedAt.push(clock.now());
    clock.advance(400);
    return Response.json({ data: { publish_id: `p${acceptedAt.length - 1}` } });
  };
  const moderate = ({ init }: { init: RequestInit }) => {
    const at = acceptedAt[Number(/p(\d+)/.exec(String(init.body))?.[1])] ?? 0;
    clock.advance(100);
    const status = clock.now() - at < 15_000 ? "PROCESSING_DOWNLOAD" : "PUBLISH_COMPLETE";
    return Response.json({ data: { status, publicaly_available_post_id: ["7300"] } });
  };
  const network = scriptNetwork({ publish: [accept], status: [moderate] });
  const publisher = createTestPublisher(NOON, { fetch: network.fetch });
  clock.advance = publisher.advance;
  clock.now = () => publisher.services.clock().getTime();
  const ids: string[] = [];
  for (let post = 0; post < 10; post++) ids.push(await createDelivery(setting, afterNoon(post * 5_000)));
  // As a request for each does.
  for (const [at, id] of ids.entries()) publisher.services.enqueueDeliveries([id], at * 5, "posts");
  await runQueue(publisher, afterNoon(10 * 60_000));
  for (const id of ids) expect(await readDelivery(id)).toMatchObject({ status: "posted" });
  const lateMs = acceptedAt.map((at, post) => at - afterNoon(post * 5_000).getTime());
  expect(lateMs).toHaveLength(10);
  expect(Math.max(...lateMs)).toBeLessThanOrEqual(2_000);
});

test("a post that has to be tried again holds the later posts of its account back", async () => {
  const setting = await connectAccount("instagram");
  const [first, second] = [
    await createDelivery(setting, NOON, { caption: "first" }),
    await createDelivery(setting, afterNoon(1_000), { caption: "second" }),
  ];
  const network = scriptNetwork({ container: [respondWith(500, {}), { id: "17801" }] });
  const publisher = createTestPublisher(afterNoon(1_000), { fetch: network.fetch });
  publisher.services.enqueueDeliveries([first, second], 0, "posts");
  await runQueue(publisher, afterNoon(60_000));
  const captions = network.calls.filter(({ name }) => name === "container").map(({ init }) => String(init.body));
  expect(captions.map((body) => (body.includes("first") ? "first" : "second"))).toEqual(["first", "first", "second"]);
  for (const id of [first, second]) expect(await readDelivery(id)).toMatchObject({ status: "posted" });
});

test("when a claim fails the invocation waits for running attempts", async () => {
  const [setting, other] = [await connectAccount("instagram"), await connectAccount("instagram")];
  const id = await createDelivery(setting, NOON, { caption: "slow" });
  const quick = [await createDelivery(other, NOON), await createDelivery(other, NOON)];
  const slow = async ({ init }: { init: RequestInit }) => {
    if (String(init.body).includes("slow")) await sleep(500);
    return Response.json({ id: "17801" });
  };
  let claims = 0;
  const db = withFailingStatements(openTestDatabase(), (query) =>
    query.includes("with requested_accounts as") && ++claims === 2 ? "before" : null,
  );
  const { services } = createTestPublisher(NOON, { fetch: scriptNetwork({ container: [slow] }).fetch, db });
  await expect(publishDue(services, [id, ...quick])).rejects.toThrow(/with requested_accounts as/);
  expect(await readDelivery(id)).toMatchObject({ status: "posted" });
});
