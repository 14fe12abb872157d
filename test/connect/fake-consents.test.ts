// The consent screens of the fakes reject what the networks reject, and compare what they get with the documentation.
import { createHash } from "node:crypto";
import { afterAll, beforeAll, expect, test } from "vitest";
import { APP, type FakeApp, toOwnApp } from "../local/networks/apps.ts";
import { type Networks, startNetworks } from "../local/networks/server.ts";
import { takeMismatches } from "../network-references/check.ts";
import { answerConsent } from "./browser.ts";

let networks: Networks;
beforeAll(async () => {
  networks = await startNetworks({});
});
afterAll(() => networks.close());

const REDIRECT = "http://127.0.0.1:8787/connect/callback/twitter";
const VERIFIER = "v".repeat(43);
const QUERY = {
  response_type: "code",
  client_id: APP.id,
  redirect_uri: REDIRECT,
  scope: "tweet.read tweet.write users.read",
  state: "s".repeat(43),
  code_challenge: createHash("sha256").update(VERIFIER).digest("base64url"),
  code_challenge_method: "S256",
};

const toUrl = (change: Record<string, string>) =>
  `${networks.url}/twitter/i/oauth2/authorize?${new URLSearchParams({ ...QUERY, ...change })}`;

async function getCode(): Promise<string> {
  const back = await answerConsent(toUrl({}), { accounts: ["ann"] });
  const url = new URL(back);
  expect(url.searchParams.get("state")).toBe(QUERY.state);
  return url.searchParams.get("code") ?? "";
}

function exchange(code: string, change: Record<string, string> = {}, secret: string = APP.secret): Promise<Response> {
  return fetch(`${networks.url}/twitter/2/oauth2/token`, {
    method: "POST",
    headers: { authorization: `Basic ${btoa(`${APP.id}:${secret}`)}` },
    body: new URLSearchParams({
      grant_type: "authorization_code",
      code,
      redirect_uri: REDIRECT,
      code_verifier: VERIFIER,
      ...change,
    }),
  });
}

test.each([
  ["another app", { client_id: "other" }],
  ["another host", { redirect_uri: REDIRECT.replace("127.0.0.1:8787", "evil.example") }],
  ["another path", { redirect_uri: `${REDIRECT}/` }],
  ["a redirect URL with a query", { redirect_uri: `${REDIRECT}?a=1` }],
  ["an implicit grant", { response_type: "token" }],
  ["a permission that the app does not have", { scope: "tweet.read dm.write" }],
  ["no state", { state: "" }],
  ["no PKCE challenge", { code_challenge: "" }],
  ["a plain PKCE challenge", { code_challenge_method: "plain" }],
])("400 for %s, without sending the browser anywhere", async (_what, change) => {
  const response = await fetch(toUrl(change), { redirect: "manual" });
  expect(response.status).toBe(400);
  expect(response.headers.get("location")).toBeNull();
  takeMismatches();
});

test("a code is used once, by the app that asked for it, with its redirect URL and code verifier", async () => {
  for (const attempt of [
    (code: string) => exchange(code, { code_verifier: "w".repeat(43) }),
    (code: string) => exchange(code, { redirect_uri: REDIRECT.replace("twitter", "x") }),
    (code: string) => exchange(code, {}, "wrong"),
  ]) {
    expect((await attempt(await getCode())).ok).toBe(false);
  }
  const code = await getCode();
  expect((await exchange(code)).status).toBe(200);
  expect((await exchange(code)).status).toBe(400);
});

test("a refresh token is accepted from the app that it was issued to, and from no other", async () => {
  const { refresh_token } = (await (await exchange(await getCode())).json()) as { refresh_token: string };
  const refresh = ({ id, secret }: FakeApp) =>
    fetch(`${networks.url}/twitter/2/oauth2/token`, {
      method: "POST",
      headers: { authorization: `Basic ${btoa(`${id}:${secret}`)}` },
      body: new URLSearchParams({ grant_type: "refresh_token", refresh_token, client_id: id }),
    });
  const other = await refresh(toOwnApp("other"));
  expect([other.status, await other.json()]).toMatchObject([400, { error: "invalid_grant" }]);
  expect((await refresh(APP)).status).toBe(200);
});

test("what the documentation does not know is reported", async () => {
  await fetch(toUrl({ prompt: "consent" }));
  expect(networks.log().at(-1)?.mismatches).toEqual([
    "twitter/consent GET /i/oauth2/authorize: query / must NOT have additional properties prompt",
  ]);
  await exchange(await getCode(), { client_secret: "secret" });
  expect(networks.log().at(-1)?.mismatches?.join()).toContain("client_secret");
  expect(takeMismatches()).toHaveLength(2);
});
