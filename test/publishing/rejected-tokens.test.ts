// Tokens that a network rejects during an attempt: refreshed, kept, or the end of the connection.
import { sql } from "drizzle-orm";
import { expect, test } from "vitest";
import { publishDue } from "../../lib/publishing/publish-due.ts";
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
