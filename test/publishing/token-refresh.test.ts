// Scheduled token refreshes: which tokens cron refreshes before they expire.
import { sql } from "drizzle-orm";
import { v7 as newId } from "uuid";
import { expect, test } from "vitest";
import { refreshTokens } from "../../functions/cron/tokens.ts";
import { refreshAccountToken } from "../../lib/publishing/account-token.ts";
import { publishDue } from "../../lib/publishing/publish-due.ts";
import { DAY_MS } from "../../lib/shared/durations.ts";
import type { Platform } from "../../lib/shared/platforms.ts";
import { encryptTokens } from "../../lib/shared/token-encryption.ts";
import { createTestAccount, createTestPublisher, createTestTenant, queryRows } from "../support/harness.ts";
import {
  createDelivery,
  NOON,
  publishUntilDone,
  readDelivery,
  respondWith,
  scriptNetwork,
} from "./scripted-network.ts";

/** Far in the past, so that the tokens of all other tests are young and far from their end. */
const START = NOON.getTime() - 1_000 * DAY_MS;
const after = (days: number) => new Date(START + days * DAY_MS);

/** An account whose access token ends after so many days, and whose refresh token is so many days old. */
async function connectAccount(platform: Platform, { ends, age }: { ends: number; age?: number }) {
  const tenant = await createTestTenant();
  const account = { ...(await createTestAccount(tenant, platform, { tokenExpiresAt: after(ends) })), tenant };
  if (age === undefined) return account;
  const refreshedAt = after(-age).toISOString();
  await queryRows(sql`update accounts set token_refreshed_at = ${refreshedAt} where id = ${account.id} returning id`);
  return account;
}

async function readAccount({ id }: { id: string }) {
  const [row] = await queryRows<{ version: number; status: string; lease: string | null; ends: string }>(sql`
    select token_version as version, status, lease_token as lease, token_expires_at as ends from accounts
    where id = ${id}`);
  return row && { ...row, ends: new Date(row.ends) };
}

/** Reads the account as a claim does; its access token has ended. */
async function readConnection({ id, username }: { id: string; username: string }, platform: Platform) {
  const [row] = await queryRows<{ access_token: string; refresh_token: string; external_id: string }>(
    sql`select access_token, refresh_token, external_id from accounts where id = ${id}`,
  );
  return {
    ...{ id, platform, type: "byo" as const, status: "active" as const, username },
    ...{ externalId: row?.external_id ?? "", accessToken: row?.access_token ?? "" },
    ...{
      refreshToken: row?.refresh_token ?? "",
      tokenExpiresAt: after(0),
      tokenVersion: 0,
      tokenRefreshedAt: null,
      app: null,
    },
  };
}

/** Bluesky's tokens are JWTs. */
const JWT = `e30.${Buffer.from(JSON.stringify({ exp: after(1).getTime() / 1000 })).toString("base64url")}.`;
const NEW_TOKENS = {
  ...{ access_token: "fresh", refresh_token: "rotated", expires_in: 60 * 24 * 60 * 60 },
  ...{ accessJwt: JWT, refreshJwt: JWT, did: "did:plc:fresh", handle: "fresh.test" },
};

/** Runs cron after that many days; responses are scripted, because other tests make the fakes fail. */
const runCron = (days = 0, respond = () => Response.json(NEW_TOKENS)) =>
  refreshTokens(createTestPublisher(after(days), { fetch: async () => respond(), log: () => undefined }).services);

test("tokens of Meta's networks are refreshed weeks before they expire", async () => {
  for (const platform of ["instagram", "threads"] as const) {
    const [aging, young, dead] = [
      await connectAccount(platform, { ends: 29 }),
      await connectAccount(platform, { ends: 31 }),
      await connectAccount(platform, { ends: -1 }),
    ];
    await runCron();
    expect(await readAccount(aging)).toEqual({ version: 1, status: "active", ends: after(60), lease: null });
    expect(await readAccount(young)).toMatchObject({ version: 0, ends: after(31) });
    expect(await readAccount(dead)).toMatchObject({ version: 0, status: "active" });
  }
});

test("a refresh token is used before it ends, whether or not the access token still lives", async () => {
  for (const [platform, days] of [
    ["pinterest", 20],
    ["bluesky", 30],
    ["youtube", 45],
    ["twitter", 45],
    ["tiktok", 45],
  ] as const) {
    const [aging, ended, young] = [
      await connectAccount(platform, { ends: 1, age: days + 1 }),
      await connectAccount(platform, { ends: -20, age: days + 1 }),
      await connectAccount(platform, { ends: -20, age: days - 1 }),
    ];
    await runCron();
    const versions = await Promise.all(
      [aging, ended, young].map(async (account) => (await readAccount(account))?.version),
    );
    expect([platform, ...versions]).toEqual([platform, 1, 1, 0]);
    await runCron(1);
    expect((await readAccount(aging))?.version).toBe(1);
  }
});

test("a refresh token that keeps its first end is not used until a post needs it", async () => {
  const account = await connectAccount("linkedin", { ends: 1, age: 300 });
  await runCron();
  expect((await readAccount(account))?.version).toBe(0);
});

test("the end of a refresh token that the network reports is stored and shown as reconnect_by", async () => {
  const tenant = await createTestTenant();
  const account = await createTestAccount(tenant, "linkedin", { tokenExpiresAt: after(0) });
  const { services } = createTestPublisher(after(0), {
    fetch: async () => Response.json({ ...NEW_TOKENS, refresh_token_expires_in: 300 * 24 * 60 * 60 }),
  });
  await refreshAccountToken(services, await readConnection(account, "linkedin"));
  const listed = await tenant.api.get("/accounts");
  expect(listed.body.data.accounts[0].reconnect_by).toBe(after(300).toISOString());
});

test("a post that came due while the account's token was refreshed is enqueued when the refresh ends", async () => {
  const tenant = await createTestTenant();
  const account = await createTestAccount(tenant, "tiktok");
  const first = await createDelivery({ tenant, account }, NOON);
  const publisher = createTestPublisher(NOON, {
    fetch: async () => {
      // A message that comes now finds the account taken.
      await publishDue(createTestPublisher(NOON).services, [first]);
      return Response.json(NEW_TOKENS);
    },
  });
  await refreshAccountToken(publisher.services, await readConnection(account, "tiktok"));
  expect(await readDelivery(first)).toMatchObject({ stage: "new", attempts: 0 });
  expect(publisher.enqueuedDeliveries).toMatchObject([{ deliveryIds: [first], kind: "posts", delaySeconds: 0 }]);
});

test("an account without a refresh token has reconnect_by, and a post scheduled past it has a warning", async () => {
  const tenant = await createTestTenant();
  const ends = new Date(Date.now() + 10 * DAY_MS);
  const account = await createTestAccount(tenant, "linkedin", { tokenExpiresAt: ends });
  await queryRows(sql`update accounts set refresh_token = null where id = ${account.id} returning id`);
  expect((await tenant.api.get("/accounts")).body.data.accounts[0].reconnect_by).toBe(ends.toISOString());
  const schedule = async (days: number) => {
    const scheduled_at = new Date(Date.now() + days * DAY_MS).toISOString();
    const answer = await tenant.api.post("/posts", { caption: "hello", accounts: [{ id: account.id }], scheduled_at });
    expect(answer.status).toBe(201);
    return answer.body.data.warnings;
  };
  expect(await schedule(9)).toEqual([]);
  const [warning] = await schedule(11);
  expect(warning).toMatchObject({ field: "accounts.0", code: "reconnect_before" });
  expect(warning.message).toContain(ends.toISOString());
});

test("a rejected refresh changes nothing and is retried the next day", async () => {
  const account = await connectAccount("instagram", { ends: 10 });
  await runCron(0, () => Response.json({ error: { code: 190 } }, { status: 400 }));
  expect(await readAccount(account)).toMatchObject({ version: 0, status: "active", ends: after(10), lease: null });
  await runCron(0.9);
  expect((await readAccount(account))?.version).toBe(0);
  await runCron(1.1);
  expect((await readAccount(account))?.version).toBe(1);
});

test("rejected app credentials leave account and post as they are, tell the operator, and end with the credentials", async () => {
  const setting = await connectAccount("tiktok", { ends: -1 });
  const delivery = await createDelivery({ tenant: setting.tenant, account: setting }, NOON);
  const logged: object[] = [];
  const network = scriptNetwork({
    refresh: [...Array(3).fill(respondWith(400, { error: "invalid_client" })), { ...NEW_TOKENS }],
  });
  const publisher = createTestPublisher(NOON, { fetch: network.fetch, log: (line) => void logged.push(line) });
  await publishDue(publisher.services, [delivery]);
  const waiting = await readDelivery(delivery);
  expect(waiting).toMatchObject({ status: "retry", attempts: 0, error_code: "invalid_client" });
  expect(waiting.error_message).toMatch(
    /^TikTok rejected our app credentials\. This is not a problem of the account\./,
  );
  expect(waiting.error_message).not.toMatch(/reconnect/i);
  expect((await readAccount(setting))?.status).toBe("active");
  publisher.advance((waiting.next?.getTime() ?? 0) - NOON.getTime());
  expect(await publishUntilDone(publisher, delivery)).toMatchObject({ status: "posted", attempts: 1 });
  const alerts = logged.filter((line) => "operator" in line);
  expect(alerts).toHaveLength(3);
  expect(alerts[0]).toMatchObject({ level: "error", delivery, network: "tiktok", code: "invalid_client" });
});

test("cron tells the operator about rejected app credentials too", async () => {
  const account = await connectAccount("pinterest", { ends: 1, age: 21 });
  const logged: object[] = [];
  const rejected = async () => Response.json({ code: 2, message: "Authentication failed." }, { status: 401 });
  const { services } = createTestPublisher(after(0), { fetch: rejected, log: (line) => void logged.push(line) });
  await refreshTokens(services);
  const alert = { level: "error", account: account.id, network: "pinterest", code: "pin_client_refused" };
  expect(logged).toContainEqual(expect.objectContaining(alert));
  expect((await readAccount(account))?.status).toBe("active");
});

test("an account leased by a worker is skipped", async () => {
  const account = await connectAccount("instagram", { ends: 10 });
  const otherLease = newId();
  await queryRows(sql`update accounts set lease_token = ${otherLease}, lease_until = ${after(0.001).toISOString()}
    where id = ${account.id} returning id`);
  await runCron();
  expect(await readAccount(account)).toMatchObject({ version: 0, lease: otherLease });
});

test("a Bluesky session is refreshed on the account's own server, at public addresses only", async () => {
  const account = await createTestAccount(await createTestTenant(), "bluesky");
  const did = "did:plc:home";
  const claims = Buffer.from(JSON.stringify({ sub: did })).toString("base64url");
  const requested: string[] = [];
  const scripted = async (input: RequestInfo | URL) => {
    const url = new URL(String(input));
    requested.push(`${url.host}${url.pathname}`);
    if (url.host !== "plc.directory") return Response.json(NEW_TOKENS);
    const service = {
      id: `${did}#atproto_pds`,
      type: "AtprotoPersonalDataServer",
      serviceEndpoint: "https://pds.example.com",
    };
    return Response.json({ id: did, service: [service] });
  };
  const { services } = createTestPublisher(new Date(), { fetch: scripted as typeof fetch });
  const { networks, tokenKeys } = services.env;
  const env = {
    ...services.env,
    networks: { ...networks, bluesky: { baseUrl: "https://bsky.social", clientId: "", clientSecret: "" } },
  };
  const tokens = await encryptTokens(tokenKeys, account.id, { accessToken: `e30.${claims}.`, refreshToken: "secret" });
  await queryRows(sql`update accounts set access_token = ${tokens.accessToken}, refresh_token = ${tokens.refreshToken}
    where id = ${account.id} returning id`);

  const connection = {
    ...({ id: account.id, platform: "bluesky", type: "byo", status: "active", username: account.username } as const),
    ...{ externalId: did, ...tokens, tokenExpiresAt: null, tokenVersion: 0, tokenRefreshedAt: null, app: null },
  };
  const refresh = (address: string) =>
    refreshAccountToken({ ...services, env, resolveHost: async () => [address] }, { ...connection });
  await expect(refresh("10.0.0.1")).rejects.toThrow(/returned no valid response/);
  expect(requested).toEqual(["plc.directory/did%3Aplc%3Ahome"]);
  await refresh("93.184.216.34");
  expect(requested.at(-1)).toBe("pds.example.com/xrpc/com.atproto.server.refreshSession");
});
