// MCP Events over the official client: listed, polled, and sent to a receiver that proves that it wants them.
import type { Client } from "@modelcontextprotocol/client";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import * as z from "zod";
import { enqueueDueWebhooks } from "../../functions/cron/webhooks.ts";
import { sendDue } from "../../lib/events/send-webhooks.ts";
import { revokeKey } from "../../lib/queries/tenants.ts";
import { readEnv } from "../../lib/services/env.ts";
import { at } from "../../lib/shared/at.ts";
import { DAY_MS } from "../../lib/shared/durations.ts";
import { EVENT_TYPES } from "../../lib/shared/event-types.ts";
import { READ_PERMISSIONS } from "../../lib/shared/permissions.ts";
import {
  createBindings,
  createTestAccount,
  createTestKey,
  createTestPublisher,
  createTestTenant,
  openTestDatabase,
  type Tenant,
  type TestAccount,
  vars,
} from "../support/harness.ts";
import { ASSETS, connectAgent, createMcpFetch, ORIGIN, sendMcp } from "./agent.ts";
import { newSecret, startEventReceiver, verify } from "./event-receiver.ts";

const receiver = await startEventReceiver();
const { base, received } = receiver;
let tenant: Tenant;
let account: TestAccount;
let other: TestAccount;
let bindings: Record<string, unknown>;

beforeAll(async () => {
  tenant = await createTestTenant();
  account = await createTestAccount(tenant, "bluesky");
  other = await createTestAccount(tenant, "threads");
  const allowed = `${vars.ALLOWED_PRIVATE_HOSTS},${new URL(base).host}`;
  bindings = { ...createBindings([]), ASSETS, PUBLIC_URL: ORIGIN, ALLOWED_PRIVATE_HOSTS: allowed };
});
afterAll(() => receiver.close());
beforeEach(() => {
  received.length = 0;
});

const connect = (token = tenant.token) => connectAgent(token, "2026-07-28", createMcpFetch(bindings));

// biome-ignore lint/suspicious/noExplicitAny: tests read any result.
const send = (client: Client, method: string, params: object): Promise<any> =>
  client.request({ method, params: { ...params } }, z.looseObject({}) as never);

/** Writes `post.scheduled`. Returns the id of the post. */
async function schedule(by: TestAccount, caption = "Soon"): Promise<string> {
  const post = { caption, accounts: [{ id: by.id }], scheduled_at: new Date(Date.now() + DAY_MS).toISOString() };
  return (await tenant.api.post("/posts", post)).body.data.id;
}

function createSender(now = new Date()) {
  return createTestPublisher(now, { env: readEnv({ ...bindings }) });
}

const toWebhookId = (id: string) => id.replace(/^sub_(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5");
test("the capability is declared, and every type is listed with its schemas", async () => {
  const client = await connect();
  expect(client.getServerCapabilities()?.extensions).toMatchObject({ "io.modelcontextprotocol/events": {} });
  const { events } = await send(client, "events/list", {});
  expect(events.map(({ name }: { name: string }) => name)).toEqual(EVENT_TYPES);
  for (const { description, delivery, inputSchema, payloadSchema } of events) {
    expect(description).toMatch(/\w{3}/);
    expect(delivery).toEqual(["poll", "webhook"]);
    expect(inputSchema).toMatchObject({ type: "object", additionalProperties: false });
    expect(payloadSchema).toMatchObject({ type: "object", properties: { object: { type: "object" } } });
  }
});

test("results are complete ones of revision 2026-07-28", async () => {
  const headers = {
    ...{ Authorization: `Bearer ${tenant.token}`, "MCP-Protocol-Version": "2026-07-28" },
    ...{ "Mcp-Method": "events/poll", "Mcp-Name": "post.failed" },
  };
  const meta = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientInfo": { name: "test", version: "1.0.0" },
    "io.modelcontextprotocol/clientCapabilities": {},
  };
  const response = await sendMcp(
    "events/poll",
    { name: "post.failed", _meta: meta },
    headers,
    createMcpFetch(bindings),
  );
  const text = await response.text();
  const { result } = JSON.parse(/^data: (.+)$/m.exec(text)?.[1] ?? text);
  expect(result).toMatchObject({ resultType: "complete", events: [], cursor: expect.any(String), hasMore: false });
});

test("poll: from now, in order, none twice, of the accounts alone", async () => {
  const client = await connect();
  const poll = (more: object) => send(client, "events/poll", { name: "post.scheduled", ...more });
  const { cursor, events, nextPollMs } = await poll({ cursor: null });
  expect([typeof cursor, events, nextPollMs]).toEqual(["string", [], 30_000]);
  const ids = [await schedule(account), await schedule(other), await schedule(account)];
  const first = await poll({ cursor, maxEvents: 2 });
  expect([first.hasMore, first.truncated]).toEqual([true, false]);
  const second = await poll({ cursor: first.cursor });
  const all = [...first.events, ...second.events];
  expect(all.map(({ data }) => data.object.id)).toEqual(ids);
  expect(all[0]).toMatchObject({ name: "post.scheduled", eventId: expect.any(String), timestamp: expect.any(String) });
  expect((await poll({ cursor: second.cursor })).events).toEqual([]);
  const limited = await poll({ cursor, arguments: { account_ids: [other.id] } });
  expect(limited.events.map(({ data }: { data: { object: { id: string } } }) => data.object.id)).toEqual([ids[1]]);
  expect(await poll({ cursor, maxAgeMs: 0 })).toMatchObject({ events: [], truncated: true });
  await expect(poll({ cursor: "nonsense" })).rejects.toMatchObject({ code: -32_602 });
  await expect(poll({ cursor, name: "post.unknown" })).rejects.toMatchObject({
    code: -32_023,
    data: { kind: "event" },
  });
});

test("webhook: a signed challenge first, then signed events in the form of the extension, and none after unsubscribing", async () => {
  const client = await connect();
  const secret = newSecret();
  const target = {
    name: "post.scheduled",
    arguments: { account_ids: [account.id] },
    delivery: { url: `${base}/hook` },
  };
  const subscribe = (more: object = {}) =>
    send(client, "events/subscribe", { ...target, delivery: { ...target.delivery, mode: "webhook", secret }, ...more });
  const made = await subscribe();
  expect(made).toMatchObject({ id: expect.stringMatching(/^sub_[0-9a-f]{32}$/), truncated: false });
  const lifetime = new Date(made.refreshBefore).getTime() - Date.now();
  expect(Math.abs(lifetime - DAY_MS)).toBeLessThan(60_000);
  const [challenge] = received;
  if (!challenge) throw new Error("no challenge");
  expect(verify(challenge, secret)).toEqual({ type: "verification", challenge: expect.stringMatching(/^.{72}$/) });
  expect(challenge.headers).toMatchObject({
    "x-mcp-subscription-id": made.id,
    "webhook-id": expect.stringMatching(/^msg_verification_/),
  });

  const id = await schedule(account);
  await schedule(other);
  const { services } = createSender();
  await sendDue(services, toWebhookId(made.id));
  const sent = received.slice(1);
  expect(sent).toHaveLength(1);
  const [event] = sent;
  if (!event) throw new Error("no event");
  const occurrence = verify(event, secret) as { eventId: string };
  expect(occurrence).toMatchObject({ name: "post.scheduled", data: { object: { id } }, timestamp: expect.any(String) });
  expect(event.headers).toMatchObject({ "webhook-id": occurrence.eventId, "x-mcp-subscription-id": made.id });

  // Renewed: the same id, no second challenge; a new secret signs beside the old one.
  const next = newSecret();
  const renewed = await subscribe({ delivery: { url: `${base}/hook`, secret: next }, ttlMs: null });
  expect(renewed).toMatchObject({ id: made.id, deliveryStatus: { active: true }, cursor: expect.any(String) });
  expect(new Date(renewed.refreshBefore).getTime() - Date.now()).toBeGreaterThan(6 * DAY_MS);
  expect(received).toHaveLength(2);
  await schedule(account);
  await sendDue(services, toWebhookId(made.id));
  const last = received.at(-1);
  if (!last) throw new Error("no event");
  expect(verify(last, secret)).toEqual(verify(last, next));

  await send(client, "events/unsubscribe", target);
  await schedule(account);
  await sendDue(services, toWebhookId(made.id));
  expect(received).toHaveLength(3);
  await expect(send(client, "events/unsubscribe", target)).rejects.toMatchObject({
    code: -32_023,
    data: { kind: "subscription" },
  });
});

test("with a cursor a new subscription is sent what was missed; one that is not kept is told so", async () => {
  const client = await connect();
  const { cursor } = await send(client, "events/poll", { name: "post.scheduled", cursor: null });
  const ids = [await schedule(account), await schedule(account)];
  const delivery = { url: `${base}/late`, secret: newSecret() };
  const made = await send(client, "events/subscribe", { name: "post.scheduled", delivery, cursor });
  expect(made).toMatchObject({ truncated: false, cursor });
  await sendDue(createSender().services, toWebhookId(made.id));
  const sent = received.filter(({ path }) => path === "/late").slice(1);
  expect(sent.map(({ body }) => JSON.parse(body).data.object.id).toSorted()).toEqual(ids.toSorted());
  const renewed = await send(client, "events/subscribe", { name: "post.scheduled", delivery, cursor });
  const eventIds = sent.map(({ body }) => JSON.parse(body).eventId);
  expect(renewed.cursor).toBe(eventIds.toSorted().at(-1));
  const unknown = { name: "post.failed", delivery, cursor: "01900000-0000-7001-8000-000000000001" };
  const other = await send(client, "events/subscribe", unknown);
  expect(other.truncated).toBe(true);
});

test("a workspace has at most 20 webhooks and subscriptions", async () => {
  const full = await createTestTenant();
  const client = await connect(full.token);
  const delivery = { url: `${base}/many`, secret: newSecret() };
  for (const name of EVENT_TYPES.slice(0, 20)) await send(client, "events/subscribe", { name, delivery });
  expect(received).toHaveLength(1);
  await expect(send(client, "events/subscribe", { name: EVENT_TYPES[20], delivery })).rejects.toMatchObject({
    code: -32_025,
    data: { limit: "subscriptions", max: 20 },
  });
  // One that is there can be renewed.
  expect(await send(client, "events/subscribe", { name: EVENT_TYPES[0], delivery })).toMatchObject({
    truncated: false,
  });
});

test("a receiver that does not confirm, a private or plain address, and a malformed secret are refused", async () => {
  const client = await connect();
  const subscribe = (url: string, secret = newSecret(), more = {}) =>
    send(client, "events/subscribe", { name: "post.failed", delivery: { url, secret, ...more } });
  for (const [path, reason] of [
    ["/silent", "challenge_failed"],
    ["/refuses", "http_4xx"],
  ]) {
    await expect(subscribe(`${base}${path}`)).rejects.toMatchObject({ code: -32_027, data: { reason } });
  }
  await expect(subscribe("http://127.0.0.1:1/hook")).rejects.toMatchObject({ code: -32_602 });
  await expect(subscribe("http://10.0.0.1/hook")).rejects.toMatchObject({ code: -32_602 });
  await expect(subscribe("http://169.254.169.254/latest")).rejects.toMatchObject({ code: -32_602 });
  await expect(subscribe(`${base}/hook`, "secret")).rejects.toMatchObject({ code: -32_602 });
  await expect(subscribe(`${base}/hook`, newSecret(), { mode: "push" })).rejects.toMatchObject({
    code: -32_026,
    data: { feature: "deliveryMode", value: "push" },
  });
  const stranger = await createTestAccount(await createTestTenant(), "bluesky");
  await expect(
    send(client, "events/subscribe", {
      ...{ name: "post.failed", arguments: { account_ids: [stranger.id] } },
      delivery: { url: `${base}/hook`, secret: newSecret() },
    }),
  ).rejects.toMatchObject({ code: -32_602 });
});

test("a key that may read events polls only; without the permission neither; another key has subscriptions of its own", async () => {
  const reader = await connect(await createTestKey(tenant, { permissions: [...READ_PERMISSIONS] }));
  const { events } = await send(reader, "events/list", {});
  expect(events[0].delivery).toEqual(["poll"]);
  const delivery = { url: `${base}/hook`, secret: newSecret() };
  await expect(send(reader, "events/subscribe", { name: "post.failed", delivery })).rejects.toMatchObject({
    code: -32_024,
  });
  const blind = await connect(await createTestKey(tenant, { permissions: ["posts:read"] }));
  await expect(send(blind, "events/list", {})).rejects.toMatchObject({ code: -32_024 });
  await expect(send(blind, "events/poll", { name: "post.failed" })).rejects.toMatchObject({ code: -32_024 });
  const first = await send(await connect(), "events/subscribe", { name: "post.failed", delivery });
  const second = await connect(await createTestKey(tenant, {}));
  const own = await send(second, "events/subscribe", { name: "post.failed", delivery });
  expect(own.id).not.toBe(first.id);
  // Each was asked to confirm for itself.
  expect(received).toHaveLength(2);
});

test("410 is not retried, other failures for 15 minutes at most", async () => {
  const client = await connect();
  const subscribe = async (path: string) => {
    const delivery = { url: `${base}${path}`, secret: newSecret() };
    return toWebhookId((await send(client, "events/subscribe", { name: "post.scheduled", delivery })).id);
  };
  Object.assign(receiver.statuses, { "/gone": 410, "/broken": 500 });
  const [gone, broken] = [await subscribe("/gone"), await subscribe("/broken")];
  await schedule(account);
  const { services, advance } = createSender();
  for (let minute = 0; minute < 40; minute += 5) {
    await sendDue(services, gone);
    await sendDue(services, broken);
    advance(5 * 60_000 + 1_000);
  }
  const count = (path: string) =>
    received.filter((one) => one.path === path && !one.body.includes("verification")).length;
  expect([count("/gone"), count("/broken")]).toEqual([1, 3]);
});

test("nothing is sent once the key is revoked or the time is over, and cron deletes the subscription", async () => {
  const token = await createTestKey(tenant, {});
  const agent = await connect(token);
  const subscribe = async (client: Client, more: object) => {
    const delivery = { url: `${base}/ends`, secret: newSecret() };
    return toWebhookId((await send(client, "events/subscribe", { name: "post.scheduled", delivery, ...more })).id);
  };
  const [revoked, short] = [await subscribe(agent, {}), await subscribe(await connect(), { ttlMs: 1 })];
  received.length = 0;
  await schedule(account);
  await revokeKey(openTestDatabase(), at(token.split("."), 0));
  const { services, advance } = createSender();
  await sendDue(services, revoked);
  expect(received).toEqual([]);
  advance(6 * 60_000);
  await sendDue(services, short);
  expect(received).toEqual([]);
  const listIds = async () =>
    (await tenant.api.get("/webhooks")).body.data.webhooks.map(({ id }: { id: string }) => id);
  expect(await listIds()).toEqual(expect.arrayContaining([revoked, short]));
  await enqueueDueWebhooks(services);
  expect(await listIds()).not.toEqual(expect.arrayContaining([revoked]));
  expect(await listIds()).not.toEqual(expect.arrayContaining([short]));
});
