// Posts of hosted accounts from create to permalink, with the fake hosted publisher and its callbacks.
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { sql } from "drizzle-orm";
import { expect, test } from "vitest";
import { publishDue } from "../../lib/publishing/publish-due.ts";
import { uploadFile } from "../files/upload-file.ts";
import { readFixture } from "../media/sources.ts";
import {
  callControl,
  createClient,
  createTestAccount,
  createTestPublisher,
  createTestTenant,
  queryRows,
  type TestAccount,
} from "../support/harness.ts";
import { readDelivery, readTrace, updateDeliveries } from "./scripted-network.ts";

interface Item {
  account: string;
  caption: string;
  media: { url: string }[];
  url: string;
}

async function publishedFor({ externalId }: TestAccount): Promise<Item[]> {
  const { hosted = [] } = await callControl<Record<string, Item[]>>("GET", "/_published?network=hosted");
  return hosted.filter(({ account }) => account === externalId);
}

const behave = ({ externalId }: TestAccount, answer: string, more: object) =>
  callControl("POST", "/_behave", { network: "hosted", account: externalId, answer, times: 1, ...more });

async function createPost() {
  const tenant = await createTestTenant();
  const account = await createTestAccount(tenant, "tiktok", { type: "hosted" });
  // Tokens of hosted accounts are not used.
  await queryRows(sql`update accounts set access_token = null, refresh_token = null, token_expires_at = now()
    where id = ${account.id} returning id`);
  const file = await uploadFile(tenant.api, "image/jpeg", readFixture("baseline.jpg"));
  const url: string = file.body.data.file.url;
  const media = { type: "slideshow", urls: [url] };
  const answer = await tenant.api.post("/posts", { caption: "hello", accounts: [{ id: account.id }], media });
  if (answer.status !== 201) throw new Error(JSON.stringify(answer.body));
  const id = tenant.api.enqueuedDeliveries.at(-1)?.deliveryIds[0] ?? "";
  const postId: string = answer.body.data.id;
  const state = async () => (await tenant.api.get(`/posts/${postId}`)).body.data.accounts.states[0];
  return { account, id, url, state };
}

/** Publishes, moving the clock to each next check, until the delivery is done. */
async function publishUntilDone(id: string): Promise<void> {
  const { services, advance } = createTestPublisher(new Date());
  for (let round = 0; round < 20; round++) {
    await publishDue(services, [id]);
    const { next } = await readDelivery(id);
    if (!next) return;
    advance(Math.max(1_000, next.getTime() - services.clock().getTime()));
    // The fake processes deliveries in real time.
    await new Promise((resolve) => setTimeout(resolve, 60));
  }
  throw new Error(`delivery ${id} was not done after 20 rounds`);
}

test("a post of a hosted account is published once, without a token", async () => {
  const { account, id, url, state } = await createPost();
  await publishUntilDone(id);
  const [item] = await publishedFor(account);
  expect(await state()).toMatchObject({ status: "posted", error_message: null, published_url: item?.url });
  expect(item).toMatchObject({ caption: "hello", media: [{ url }] });
  expect(await publishedFor(account)).toHaveLength(1);
});

test("a handover with a lost response is reconciled and published once", async () => {
  const { account, id, state } = await createPost();
  await behave(account, "drop_after", { call: "hand_over" });
  await publishUntilDone(id);
  expect((await state()).status).toBe("posted");
  expect(await publishedFor(account)).toHaveLength(1);
  expect(await readTrace(id)).toEqual(expect.arrayContaining(["publish: unknown", "reconcile: posted"]));
});

test("a handover that was not received is repeated after reconciling and published once", async () => {
  const { account, id, state } = await createPost();
  await behave(account, "drop_before", { call: "hand_over" });
  await publishUntilDone(id);
  expect((await state()).status).toBe("posted");
  expect(await publishedFor(account)).toHaveLength(1);
});

test("500, 429 and an offline device are retried; a rejection is final, with its reason", async () => {
  for (const [answer, more] of [
    ["500", { call: "hand_over" }],
    ["429", { call: "hand_over" }],
    ["500", { call: "status" }],
    ["refuse", { call: "status", code: "device_offline" }],
  ] as const) {
    const { account, id, state } = await createPost();
    await behave(account, answer, more);
    await publishUntilDone(id);
    expect((await state()).status).toBe("posted");
    expect(await publishedFor(account)).toHaveLength(1);
  }
  for (const call of ["hand_over", "status"]) {
    const { account, id, state } = await createPost();
    await behave(account, "refuse", { call, code: "account_suspended" });
    await publishUntilDone(id);
    const { status, error_message } = await state();
    expect(status).toBe("failed");
    expect(error_message).toMatch(/The hosted publisher returned account_suspended\. Ask the operator/);
    expect(await publishedFor(account)).toEqual([]);
  }
});

test("without a hosted publisher the delivery fails with a message, and the account stays active", async () => {
  const { account, id, state } = await createPost();
  const { services } = createTestPublisher(new Date());
  await publishDue({ ...services, env: { ...services.env, hostedPublisher: null } }, [id]);
  expect(await readDelivery(id)).toMatchObject({ status: "failed", error_code: "hosted_unavailable", next: null });
  expect((await state()).error_message).toMatch(/not set up on this service\. Ask its operator/);
  const [row] = await queryRows<{ status: string }>(sql`select status from accounts where id = ${account.id}`);
  expect(row?.status).toBe("active");
});

test("a handed-over delivery is not failed when the hosted publisher is no longer configured", async () => {
  const { id, state } = await createPost();
  const { services } = createTestPublisher(new Date());
  await updateDeliveries([id], sql`stage = 'sent', handle = ${JSON.stringify({ delivery_id: id })}`);
  await publishDue({ ...services, env: { ...services.env, hostedPublisher: null } }, [id]);
  expect(await readDelivery(id)).toMatchObject({ status: "retry", stage: "sent", error_code: "outcome_unknown" });
  expect((await state()).error_message).toMatch(/checking with the network/);
});

test("a callback makes the delivery due now, and the next check finds it published", async () => {
  const client = createClient(null);
  const statuses: number[] = [];
  // The publisher may call back before the post is stored as sent.
  const isSent = Promise.withResolvers<void>();
  const server = createServer(async (req, res) => {
    const parts: Buffer[] = [];
    for await (const part of req) parts.push(part as Buffer);
    // The publisher may give up waiting meanwhile.
    await isSent.promise;
    const headers = Object.fromEntries(Object.entries(req.headers).map(([name, value]) => [name, String(value)]));
    const answer = await client.call(req.method ?? "", req.url ?? "", {
      raw: Buffer.concat(parts).toString(),
      headers,
    });
    statuses.push(answer.status);
    res.writeHead(answer.status).end();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const PUBLIC_URL = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  try {
    const { account, id, state } = await createPost();
    const { services } = createTestPublisher(new Date());
    const reachable = { ...services, env: { ...services.env, PUBLIC_URL } };
    await publishDue(reachable, [id]);
    expect(await readDelivery(id)).toMatchObject({ status: "pending", stage: "sent" });
    isSent.resolve();
    await expect.poll(() => statuses).toEqual([200]);
    expect(client.enqueuedDeliveries).toEqual([{ deliveryIds: [id], kind: "confirmations", delaySeconds: 0 }]);
    // The clock is not advanced: only the callback can have made it due.
    await publishDue({ ...reachable, clock: () => new Date() }, [id]);
    expect((await state()).status).toBe("posted");
    expect(await publishedFor(account)).toHaveLength(1);
  } finally {
    server.close();
  }
});
