// Answers to a refresh that are not as the network documents them: no connection ends and no token is lost for them.
import { sql } from "drizzle-orm";
import { expect, test } from "vitest";
import { refreshAccountToken } from "../../lib/publishing/account-token.ts";
import { publishDue } from "../../lib/publishing/publish-due.ts";
import type { Services } from "../../lib/services/context.ts";
import type { Platform } from "../../lib/shared/platforms.ts";
import { decryptToken } from "../../lib/shared/token-encryption.ts";
import { createTestAccount, createTestPublisher, createTestTenant, queryRows, vars } from "../support/harness.ts";
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
} from "./scripted-network.ts";

const EXPIRED = { tokenExpiresAt: afterNoon(1_000) };

async function readAccount({ account }: ConnectedAccount) {
  const [row] = await queryRows<{ status: string; ends: string | null; refresh_token: string }>(
    sql`select status, token_expires_at as ends, refresh_token from accounts where id = ${account.id}`,
  );
  if (!row) throw new Error("The account was not found.");
  const place = { accountId: account.id, column: "refresh_token" } as const;
  const refreshToken = await decryptToken({ current: vars.TOKEN_KEY ?? "" }, place, row.refresh_token);
  return { status: row.status, ends: row.ends === null ? null : new Date(row.ends), refreshToken };
}

test.each([
  ["a proxy's page", () => new Response("<html>Request blocked.</html>", { status: 403 })],
  ["a path that is gone for a while", () => new Response("404 page not found", { status: 404 })],
  ["an OAuth error that passes", respondWith(400, { error: "temporarily_unavailable" })],
  ["the same with status 200", respondWith(200, { error: "server_error" })],
])("%s does not end the connection, and the post goes out after a later refresh", async (_name, answer) => {
  const setting = await connectAccount("tiktok", EXPIRED);
  const id = await createDelivery(setting, NOON);
  const tokens = { access_token: "fresh", refresh_token: "rotated", expires_in: 86_400 };
  const network = scriptNetwork({ refresh: [answer, tokens] });
  const publisher = createTestPublisher(NOON, { fetch: network.fetch });
  await publishDue(publisher.services, [id]);
  expect(await readDelivery(id)).toMatchObject({ status: "retry" });
  expect(await readAccount(setting)).toMatchObject({ status: "active" });
  expect(await publishUntilDone(publisher, id)).toMatchObject({ status: "posted" });
  expect(await readAccount(setting)).toMatchObject({ status: "active", refreshToken: "rotated" });
});

const DAY_S = 86_400;

test.each([
  ["a number in a string", "86400", DAY_S],
  ["more than a date holds", 1e20, 100 * 365 * DAY_S],
  ["not a number", "soon", null],
  ["zero", 0, null],
  ["null", null, null],
  ["nothing", undefined, null],
])("expires_in with %s: the rotated tokens are stored, with the end if it is known", async (_name, given, seconds) => {
  const setting = await connectAccount("tiktok", EXPIRED);
  const id = await createDelivery(setting, NOON);
  const network = scriptNetwork({
    refresh: [{ access_token: "fresh", refresh_token: "rotated", expires_in: given, refresh_expires_in: given }],
  });
  const publisher = createTestPublisher(NOON, { fetch: network.fetch });
  expect(await publishUntilDone(publisher, id)).toMatchObject({ status: "posted" });
  expect(network.countCalls("refresh")).toBe(1);
  const { ends, refreshToken } = await readAccount(setting);
  expect(refreshToken).toBe("rotated");
  const left = ends && Math.round((ends.getTime() - NOON.getTime()) / 1000);
  if (seconds === null) expect(left).toBeNull();
  else expect(Math.abs((left ?? 0) - seconds)).toBeLessThan(60);
});

/** Refreshes an expired token at noon; returns the account as the refresh stored it. */
async function refreshAtNoon(platform: Platform, answer: object, services: Partial<Services> = {}) {
  const tenant = await createTestTenant();
  const account = await createTestAccount(tenant, platform, EXPIRED);
  const [row] = await queryRows<{ access_token: string; refresh_token: string; external_id: string }>(
    sql`select access_token, refresh_token, external_id from accounts where id = ${account.id}`,
  );
  if (!row) throw new Error("The account was not found.");
  const publisher = createTestPublisher(NOON, { fetch: async () => Response.json(answer), ...services });
  await refreshAccountToken(publisher.services, {
    ...{ id: account.id, platform, type: "byo", status: "active", username: account.username, app: null },
    ...{ externalId: row.external_id, accessToken: row.access_token, refreshToken: row.refresh_token },
    ...{ tokenExpiresAt: EXPIRED.tokenExpiresAt, tokenVersion: 0, tokenRefreshedAt: null },
  });
  return readAccount({ tenant, account });
}

test.each(["instagram", "threads"] as const)(
  "%s: a token without an end is renewed in time, as one of the usual 60 days",
  async (platform) => {
    const { ends } = await refreshAtNoon(platform, { access_token: "fresh" });
    expect(Math.round(((ends?.getTime() ?? 0) - NOON.getTime()) / 1000 / DAY_S)).toBe(60);
  },
);

test.each([1e16, -1e16, "never"])("bluesky: a session with the end %s is stored", async (exp) => {
  const jwt = `e30.${Buffer.from(JSON.stringify({ exp })).toString("base64url")}.`;
  const stored = await refreshAtNoon("bluesky", {
    accessJwt: jwt,
    refreshJwt: "rotated",
    did: "did:plc:a",
    handle: "a",
  });
  expect(stored).toEqual({ status: "active", ends: null, refreshToken: "rotated" });
});

test("a refresh keeps its invocation alive until the tokens are stored, as its caller may hang up", async () => {
  const kept: Promise<unknown>[] = [];
  const waitUntil = (work: Promise<unknown>) => void kept.push(work);
  const refreshed = refreshAtNoon("tiktok", { access_token: "fresh", refresh_token: "rotated" }, { waitUntil });
  expect((await refreshed).refreshToken).toBe("rotated");
  expect(kept).toHaveLength(1);
  await expect(refreshAtNoon("tiktok", { error: "invalid_grant" }, { waitUntil })).rejects.toThrow(/Reconnect/);
  // The caller has the error, so that it is not logged as one of the background.
  expect(await Promise.all(kept)).toHaveLength(2);
});
