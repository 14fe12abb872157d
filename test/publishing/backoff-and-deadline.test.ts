// Backoff, deadlines, and token refreshes during an attempt.
import { sql } from "drizzle-orm";
import { expect, test, vi } from "vitest";
import { failure } from "../../lib/platforms/platform.ts";
import { tiktok } from "../../lib/platforms/tiktok/driver.ts";
import type { Delivery } from "../../lib/publishing/delivery-events.ts";
import { takeStep } from "../../lib/publishing/delivery-step.ts";
import { publishDue } from "../../lib/publishing/publish-due.ts";
import { DEADLINE_AFTER_DUE_MS } from "../../lib/publishing/timing.ts";
import { decryptToken } from "../../lib/shared/token-encryption.ts";
import { createTestPublisher, openTestDatabase, queryRows, vars } from "../support/harness.ts";
import {
  afterNoon,
  type ConnectedAccount,
  connectAccount,
  createDelivery,
  NOON,
  publishUntilDone,
  readDelivery,
  respondWith,
  scriptNetwork,
  withFailingStatements,
} from "./scripted-network.ts";

const rateLimited = (seconds: number) => respondWith(429, {}, { "retry-after": String(seconds) });

test("Retry-After: 0 still has a backoff", async () => {
  const setting = await connectAccount("tiktok");
  const id = await createDelivery(setting, NOON);
  const network = scriptNetwork({ creator: [rateLimited(0)] });
  const { services } = createTestPublisher(NOON, { fetch: network.fetch });
  await publishDue(services, [id]);
  expect(network.countCalls("creator")).toBe(1);
  const { next, error_message } = await readDelivery(id);
  expect(next?.getTime()).toBeGreaterThanOrEqual(afterNoon(15_000).getTime());
  expect(error_message).toContain(next?.toISOString());
});

test("a rate limit without a reset time is retried with growing intervals until the deadline", async () => {
  const setting = await connectAccount("tiktok");
  const id = await createDelivery(setting, NOON);
  const network = scriptNetwork({ creator: [respondWith(429, {})] });
  const { services, advance } = createTestPublisher(NOON, { fetch: network.fetch });
  const waits: number[] = [];
  for (let tries = 1; tries < 1000; tries++) {
    await publishDue(services, [id]);
    const { status, next, error_message } = await readDelivery(id);
    if (status === "failed" || !next) break;
    expect(error_message).toContain(next.toISOString());
    waits.push(next.getTime() - services.clock().getTime());
    advance(waits.at(-1) ?? 0);
  }
  const [first = 0] = waits;
  expect(first).toBeGreaterThanOrEqual(60_000);
  expect(waits.slice(0, -1)).toEqual(waits.slice(0, -1).toSorted((a, b) => a - b));
  expect(Math.max(...waits)).toBeLessThanOrEqual(15 * 60_000);
  // One attempt per minute would be 1,440.
  expect(network.countCalls("creator")).toBeGreaterThan(90);
  expect(network.countCalls("creator")).toBeLessThan(130);
  expect((await readDelivery(id)).error_code).toBe("deadline_exceeded");
});

test("Retry-After beyond the deadline is capped, and the delivery fails with the network's message", async () => {
  const setting = await connectAccount("tiktok");
  const id = await createDelivery(setting, NOON);
  const network = scriptNetwork({ creator: [rateLimited(48 * 3600)] });
  const { services, advance } = createTestPublisher(NOON, { fetch: network.fetch });
  await publishDue(services, [id]);
  const { next, deadline, error_message } = await readDelivery(id);
  expect([next, deadline]).toEqual([afterNoon(DEADLINE_AFTER_DUE_MS), afterNoon(DEADLINE_AFTER_DUE_MS)]);
  // No attempt follows the deadline, so the message announces none.
  expect(error_message).toContain(deadline.toISOString());
  expect(error_message).toContain(afterNoon(48 * 3_600_000).toISOString());
  expect(error_message).not.toMatch(/no action is needed/i);
  const row = await publishUntilDone({ services, advance }, id);
  expect(row).toMatchObject({ status: "failed", error_code: "deadline_exceeded" });
  expect(row.error_message).toMatch(/TikTok is rate limiting this account\..* Retry the post after /);
  expect(network.countCalls("creator")).toBe(1);
});

test("the deadline error has the last reason: a paused account, a processing network, a waiting delivery", async () => {
  const after = afterNoon(DEADLINE_AFTER_DUE_MS + 1);
  const paused = await connectAccount("instagram", { status: "paused" });
  const held = await createDelivery(paused, NOON);
  const first = createTestPublisher(NOON);
  await publishDue(first.services, [held]);
  const { error_message: pausedMessage } = await readDelivery(held);
  expect(pausedMessage).toMatch(/is paused\. To publish the post, resume the account/);

  const slow = await connectAccount("instagram");
  const begun = await createDelivery(slow, NOON);
  const network = scriptNetwork({ status: [{ status_code: "IN_PROGRESS" }] });
  await publishDue(createTestPublisher(NOON, { fetch: network.fetch }).services, [begun]);

  const never = await createDelivery(await connectAccount("instagram"), NOON);
  await publishDue(createTestPublisher(after, { fetch: network.fetch }).services, [held, begun, never]);
  const results = await Promise.all([held, begun, never].map(readDelivery));
  for (const row of results)
    expect(row).toMatchObject({ status: "failed", error_code: "deadline_exceeded", next: null });
  expect(results[0]?.error_message).toContain(pausedMessage);
  expect(results[1]?.error_message).toMatch(/Instagram did not finish processing it/);
  expect(results[2]?.error_message).toMatch(/queued behind other posts of the account/);
});

const HOUR_LATER = { scheduledAt: afterNoon(3_600_000) };

const DEAD_TOKEN = respondWith(401, { error: { code: "access_token_invalid" } });

interface AccountRow {
  status: string;
  token_version: number;
  access_token: string;
  refresh_token: string;
}

async function readAccount({ account }: ConnectedAccount): Promise<AccountRow> {
  const [row] = await queryRows<AccountRow>(
    sql`select status, token_version, access_token, refresh_token from accounts where id = ${account.id}`,
  );
  if (!row) throw new Error("The account was not found.");
  return row;
}

test("a new token that the network accepts only minutes later publishes the post without another refresh", async () => {
  const setting = await connectAccount("tiktok", { tokenExpiresAt: afterNoon(1_000) });
  const id = await createDelivery(setting, NOON);
  const network = scriptNetwork({
    creator: [DEAD_TOKEN, DEAD_TOKEN, DEAD_TOKEN, { data: { creator_username: "user" } }],
  });
  const { services, advance } = createTestPublisher(NOON, { fetch: network.fetch });
  await publishDue(services, [id]);
  const waiting = await readDelivery(id);
  expect(waiting).toMatchObject({ status: "retry", error_code: "token_not_yet_accepted", attempts: 0 });
  expect(waiting.error_message).toMatch(/new token yet.*No action is needed/);
  expect(await readAccount(setting)).toMatchObject({ status: "active", token_version: 1 });
  expect(await publishUntilDone({ services, advance }, id)).toMatchObject({ status: "posted", attempts: 1 });
  expect(network.countCalls("refresh")).toBe(1);
});

test("a new token that is rejected for longer than ten minutes ends the connection, and the rotated tokens are kept", async () => {
  const setting = await connectAccount("tiktok", { tokenExpiresAt: afterNoon(1_000) });
  const id = await createDelivery(setting, NOON);
  const network = scriptNetwork({ creator: [DEAD_TOKEN] });
  const publisher = createTestPublisher(NOON, { fetch: network.fetch });
  expect(await publishUntilDone(publisher, id)).toMatchObject({ status: "failed", error_code: "reconnect_required" });
  expect(publisher.services.clock().getTime()).toBeGreaterThan(afterNoon(10 * 60_000).getTime());
  expect(network.countCalls("creator")).toBeGreaterThan(4);
  expect(network.countCalls("refresh")).toBe(1);
  const kept = await readAccount(setting);
  expect(kept).toMatchObject({ status: "disconnected", token_version: 1 });
  const decrypt = (column: "access_token" | "refresh_token") =>
    decryptToken({ current: vars.TOKEN_KEY ?? "" }, { accountId: setting.account.id, column }, kept[column]);
  expect([await decrypt("access_token"), await decrypt("refresh_token")]).toEqual(["fresh", "rotated"]);
});

test("the rotated refresh token is stored even if the database fails during the refresh", async () => {
  const setting = await connectAccount("tiktok", { tokenExpiresAt: afterNoon(1_000) });
  const id = await createDelivery(setting, NOON);
  const network = scriptNetwork({});
  let failures = 0;
  const saves = (query: string) => query.includes(`update "accounts" set "access_token"`);
  const db = withFailingStatements(openTestDatabase(), (query) => (saves(query) && failures++ === 0 ? "before" : null));
  expect(await publishUntilDone(createTestPublisher(NOON, { fetch: network.fetch, db }), id)).toMatchObject({
    status: "posted",
  });
  expect(network.countCalls("refresh")).toBe(1);
  const kept = await readAccount(setting);
  const decrypt = (column: "access_token" | "refresh_token") =>
    decryptToken({ current: vars.TOKEN_KEY ?? "" }, { accountId: setting.account.id, column }, kept[column]);
  expect([await decrypt("access_token"), await decrypt("refresh_token")]).toEqual(["fresh", "rotated"]);
});

test("a token rejected during an attempt is refreshed, and the attempt continues from its checkpoint", async () => {
  const setting = await connectAccount("tiktok");
  const id = await createDelivery(setting, NOON);
  const network = scriptNetwork({ publish: [DEAD_TOKEN, { data: { publish_id: "p1" } }] });
  expect(await publishUntilDone(createTestPublisher(NOON, { fetch: network.fetch }), id)).toMatchObject({
    status: "posted",
    attempts: 1,
  });
  expect([network.countCalls("creator"), network.countCalls("refresh"), network.countCalls("publish")]).toEqual([
    1, 1, 2,
  ]);
  const bearers = network.calls
    .filter(({ name }) => name === "publish")
    .map(({ init }) => new Headers(init.headers).get("authorization"));
  expect(bearers).toEqual([`Bearer ${setting.account.accessToken}`, "Bearer fresh"]);
});

test("an account that was reconnected in the meantime is not disconnected by the old token's rejection", async () => {
  const setting = await connectAccount("tiktok");
  const [id, next] = [await createDelivery(setting, NOON), await createDelivery(setting, NOON, HOUR_LATER)];
  const reconnected = async () => {
    await queryRows(
      sql`update accounts set token_version = token_version + 1 where id = ${setting.account.id} returning id`,
    );
    return Response.json({ error: "invalid_grant" }, { status: 400 });
  };
  const network = scriptNetwork({ creator: [DEAD_TOKEN], refresh: [reconnected] });
  await publishDue(createTestPublisher(NOON, { fetch: network.fetch }).services, [id]);
  expect(await readDelivery(id)).toMatchObject({ status: "failed", error_code: "reconnect_required" });
  expect(await readAccount(setting)).toMatchObject({ status: "active" });
  expect(await readDelivery(next)).toMatchObject({ status: "scheduled", stage: "new" });
});

/** Loses the account's connection at noon; returns the id of a delivery that is due an hour later. */
async function loseConnection(setting: ConnectedAccount): Promise<string> {
  const [id, next] = [await createDelivery(setting, NOON), await createDelivery(setting, NOON, HOUR_LATER)];
  const network = scriptNetwork({ creator: [DEAD_TOKEN], refresh: [respondWith(400, { error: "invalid_grant" })] });
  await publishDue(createTestPublisher(NOON, { fetch: network.fetch }).services, [id]);
  expect(await readAccount(setting)).toMatchObject({ status: "disconnected" });
  expect(await readDelivery(next)).toMatchObject({ status: "scheduled", next: afterNoon(3_600_000) });
  return next;
}

test("a delivery of a disconnected account stays scheduled and is void only when it is due", async () => {
  const setting = await connectAccount("tiktok");
  const next = await loseConnection(setting);
  const network = scriptNetwork({});
  await publishDue(createTestPublisher(afterNoon(3_600_000), { fetch: network.fetch }).services, [next]);
  expect(await readDelivery(next)).toMatchObject({ status: "void", error_code: "account_disconnected", next: null });
  expect(network.calls).toEqual([]);
});

test("a delivery of an account that is connected again before it is due is published", async () => {
  const setting = await connectAccount("tiktok");
  const next = await loseConnection(setting);
  await queryRows(sql`update accounts set status = 'active' where id = ${setting.account.id} returning id`);
  const publisher = createTestPublisher(afterNoon(3_600_000), { fetch: scriptNetwork({}).fetch });
  expect(await publishUntilDone(publisher, next)).toMatchObject({ status: "posted" });
});

test("a failure that only the operator can end is retried without counting attempts, and logged as an error", async () => {
  const setting = await connectAccount("tiktok");
  const id = await createDelivery(setting, NOON);
  const ended = failure({ class: "transient", code: "version_ended", message: "Our version ended.", operator: true });
  const start = vi.spyOn(tiktok, "start");
  for (let tries = 0; tries < 7; tries++) start.mockRejectedValueOnce(ended);
  const logged: object[] = [];
  const log = (line: object) => void logged.push(line);
  const publisher = createTestPublisher(NOON, { fetch: scriptNetwork({}).fetch, log });
  expect(await publishUntilDone(publisher, id)).toMatchObject({ status: "posted", attempts: 1 });
  const errors = logged.filter((line) => "operator" in line);
  expect(errors).toEqual(
    Array(7).fill({
      ...{ level: "error", delivery: id, network: "tiktok" },
      ...{ code: "version_ended", operator: "Our version ended." },
    }),
  );
  start.mockRestore();
});

test("what a published post lacks is shown with it", async () => {
  const setting = await connectAccount("tiktok");
  const id = await createDelivery(setting, NOON);
  const warnings = [
    { code: "visibility_reduced", message: "It is private." },
    { code: "thumbnail_not_set", message: "It has no thumbnail." },
  ];
  const result = {
    state: "published" as const,
    platformPostId: "1",
    url: "https://www.tiktok.com/@a/video/1",
    warnings,
  };
  const publish = vi.spyOn(tiktok, "publish").mockResolvedValueOnce(result);
  const publisher = createTestPublisher(NOON, { fetch: scriptNetwork({}).fetch });
  expect(await publishUntilDone(publisher, id)).toMatchObject({ status: "posted", error_message: null });
  const { body } = await setting.tenant.api.get("/posts");
  expect(body.data.posts[0].accounts.states[0].warnings).toEqual(warnings);
  publish.mockRestore();
});

test("the URL of a published post that is held back is asked for ever less often, for days", async () => {
  const setting = await connectAccount("tiktok");
  const id = await createDelivery(setting, NOON);
  const held = { data: { status: "PUBLISH_COMPLETE", publicaly_available_post_id: [] } };
  const shown = { data: { status: "PUBLISH_COMPLETE", publicaly_available_post_id: ["7300"] } };
  const network = scriptNetwork({ status: [...Array(30).fill(held), shown] });
  const publisher = createTestPublisher(NOON, { fetch: network.fetch });
  const waits: number[] = [];
  for (let next: Date | null = NOON; next; next = (await readDelivery(id)).next) {
    waits.push(next.getTime() - publisher.services.clock().getTime());
    publisher.advance(waits.at(-1) ?? 0);
    await publishDue(publisher.services, [id]);
    expect(await readDelivery(id)).toMatchObject({ status: "posted" });
  }
  expect(waits.slice(1)).toEqual(waits.slice(1).toSorted((a, b) => a - b));
  expect(waits.at(-1)).toBe(6 * 3_600_000);
  expect(publisher.services.clock().getTime()).toBeGreaterThan(afterNoon(2 * 24 * 3_600_000).getTime());
});

test.each([
  [0, 1],
  [30, 15],
  [180, 90],
  [24 * 60, 6 * 60],
])("the url of a post in moderation for %i minutes is asked for again after %i minutes", (waited, minutes) => {
  const delivery = { phase: "permalink", publishedAt: NOON } as Delivery;
  const chance = { now: afterNoon(waited * 60_000), random: 0 };
  const { change } = takeStep(delivery, { name: "published_unlisted" }, chance);
  expect(change.nextAttemptAt).toEqual(afterNoon((waited + minutes) * 60_000));
});
