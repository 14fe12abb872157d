// Posts of hosted accounts from create to their address, by way of the fleet's stand-in and its calls back.
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { sql } from "drizzle-orm";
import { afterEach, expect, test } from "vitest";
import { publishDue } from "../../lib/publishing/publisher.ts";
import { upload } from "../files/uploaded.ts";
import { client, lever, type MintedAccount, mintAccount, mintTenant, publisher, rows } from "../harness.ts";
import { fixture } from "../media/sources.ts";
import { rowOf, set, traceOf } from "./wire.ts";

interface Item {
  account: string;
  caption: string;
  media: { url: string }[];
  url: string;
}

async function publishedFor({ externalId }: MintedAccount): Promise<Item[]> {
  const { hosted = [] } = await lever<Record<string, Item[]>>("GET", "/_published?network=hosted");
  return hosted.filter(({ account }) => account === externalId);
}

const behave = (answer: string, more: object) =>
  lever("POST", "/_behave", { network: "hosted", answer, times: 1, ...more });

afterEach(() => behave("500", { times: 0 }));

async function posted() {
  const tenant = await mintTenant();
  const account = await mintAccount(tenant, "tiktok", { type: "hosted" });
  // Its tokens are never looked at.
  await rows(sql`update accounts set access_token = null, refresh_token = null, token_expires_at = now()
    where id = ${account.id} returning id`);
  const file = await upload(tenant.api, "image/jpeg", fixture("baseline.jpg"));
  const url: string = file.body.data.file.url;
  const media = { type: "slideshow", urls: [url] };
  const answer = await tenant.api.post("/posts", { caption: "hello", accounts: [{ id: account.id }], media });
  if (answer.status !== 201) throw new Error(JSON.stringify(answer.body));
  const id = tenant.api.nudged.at(-1)?.deliveryIds[0] ?? "";
  const postId: string = answer.body.data.id;
  const state = async () => (await tenant.api.get(`/posts/${postId}`)).body.data.accounts.states[0];
  return { account, id, url, state };
}

/** Publishes, moving the clock to each next check, until the delivery is done. */
async function untilDone(id: string): Promise<void> {
  const { world, pass } = publisher(new Date());
  for (let round = 0; round < 20; round++) {
    await publishDue(world, [id]);
    const { next } = await rowOf(id);
    if (!next) return;
    pass(Math.max(1_000, next.getTime() - world.clock().getTime()));
    // The fleet works in real time.
    await new Promise((resolve) => setTimeout(resolve, 60));
  }
  throw new Error(`delivery ${id} was not done after 20 rounds`);
}

test("a post of a hosted account goes out once by its fleet, without any token", async () => {
  const { account, id, url, state } = await posted();
  await untilDone(id);
  const [item] = await publishedFor(account);
  expect(await state()).toMatchObject({ status: "posted", error_message: null, published_url: item?.url });
  expect(item).toMatchObject({ caption: "hello", media: [{ url }] });
  expect(await publishedFor(account)).toHaveLength(1);
});

test("the answer to the hand-over is lost after it took effect: found again at the fleet, out once", async () => {
  const { account, id, state } = await posted();
  await behave("drop_after", { call: "hand_over" });
  await untilDone(id);
  expect((await state()).status).toBe("posted");
  expect(await publishedFor(account)).toHaveLength(1);
  expect(await traceOf(id)).toEqual(expect.arrayContaining(["publish: unknown", "reconcile: posted"]));
});

test("the hand-over never arrived: handed over again after a look, out once", async () => {
  const { account, id, state } = await posted();
  await behave("drop_before", { call: "hand_over" });
  await untilDone(id);
  expect((await state()).status).toBe("posted");
  expect(await publishedFor(account)).toHaveLength(1);
});

test("500, 429 and an offline device are tried again; what the fleet refuses is final, in its words", async () => {
  for (const [answer, more] of [
    ["500", { call: "hand_over" }],
    ["429", { call: "hand_over" }],
    ["500", { call: "status" }],
    ["refuse", { call: "status", code: "device_offline" }],
  ] as const) {
    const { account, id, state } = await posted();
    await behave(answer, more);
    await untilDone(id);
    expect((await state()).status).toBe("posted");
    expect(await publishedFor(account)).toHaveLength(1);
  }
  for (const call of ["hand_over", "status"]) {
    const { account, id, state } = await posted();
    await behave("refuse", { call, code: "account_suspended" });
    await untilDone(id);
    const { status, error_message } = await state();
    expect(status).toBe("failed");
    expect(error_message).toMatch(/The fleet says account_suspended\. Ask the operator/);
    expect(await publishedFor(account)).toEqual([]);
  }
});

test("without a fleet the delivery fails at once and says whose move it is; the account stays", async () => {
  const { account, id, state } = await posted();
  const { world } = publisher(new Date());
  await publishDue({ ...world, env: { ...world.env, fleet: null } }, [id]);
  expect(await rowOf(id)).toMatchObject({ status: "failed", error_code: "hosted_unavailable", next: null });
  expect((await state()).error_message).toMatch(/not set up on this service\. Ask its operator/);
  const [row] = await rows<{ status: string }>(sql`select status from accounts where id = ${account.id}`);
  expect(row?.status).toBe("active");
});

test("what was handed over before the fleet's settings were lost is asked about again, not failed", async () => {
  const { id, state } = await posted();
  const { world } = publisher(new Date());
  await set([id], sql`stage = 'sent', handle = ${JSON.stringify({ delivery_id: id })}`);
  await publishDue({ ...world, env: { ...world.env, fleet: null } }, [id]);
  expect(await rowOf(id)).toMatchObject({ status: "retry", stage: "sent", error_code: "outcome_unknown" });
  expect((await state()).error_message).toMatch(/being checked/);
});

test("the fleet calls back when it is done: the delivery is due at once, and the next look finds it out", async () => {
  const fleet = client(null);
  const called: number[] = [];
  const door = createServer(async (req, res) => {
    const parts: Buffer[] = [];
    for await (const part of req) parts.push(part as Buffer);
    const headers = Object.fromEntries(Object.entries(req.headers).map(([name, value]) => [name, String(value)]));
    const answer = await fleet.call(req.method ?? "", req.url ?? "", { raw: Buffer.concat(parts).toString(), headers });
    called.push(answer.status);
    res.writeHead(answer.status).end();
  });
  await new Promise<void>((resolve) => door.listen(0, "127.0.0.1", resolve));
  const PUBLIC_URL = `http://127.0.0.1:${(door.address() as AddressInfo).port}`;
  try {
    const { account, id, state } = await posted();
    const { world } = publisher(new Date());
    const reachable = { ...world, env: { ...world.env, PUBLIC_URL } };
    await publishDue(reachable, [id]);
    expect(await rowOf(id)).toMatchObject({ status: "pending", stage: "sent" });
    await expect.poll(() => called, { timeout: 20_000 }).toEqual([200]);
    expect(fleet.nudged).toEqual([{ deliveryIds: [id], delaySeconds: 0 }]);
    // No clock is moved: only the call back can have made it due.
    await publishDue({ ...reachable, clock: () => new Date() }, [id]);
    expect((await state()).status).toBe("posted");
    expect(await publishedFor(account)).toHaveLength(1);
  } finally {
    door.close();
  }
});
