// Accounts connected by OAuth at a real Bluesky server (PDS): the whole consent, then posts, refreshes and the end of it.
import { createHash, randomBytes } from "node:crypto";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { callAccountServer } from "../../lib/platforms/bluesky/account-server.ts";
import { bluesky } from "../../lib/platforms/bluesky/driver.ts";
import { describeClient } from "../../lib/platforms/bluesky/oauth-client.ts";
import { connector } from "../../lib/platforms/bluesky/oauth-connect.ts";
import type { ConnectableAccount, Grant } from "../../lib/platforms/connector.ts";
import type { Job } from "../../lib/platforms/platform.ts";
import { revokeConsent } from "../../lib/platforms/revocation.ts";
import type { NetworkConfig } from "../../lib/shared/platforms.ts";
import { expectFailure, publishToEnd } from "../platforms/publish-to-end.ts";
import { consentAt } from "./consent.ts";
import { findMissing } from "./install.ts";
import { file, openJob, pictures, text } from "./jobs.ts";
import { type PdsAccount, type RunningPds, startPds } from "./start-pds.ts";

const ORIGIN = "http://127.0.0.1:8787";
const missing = findMissing();
if (missing) console.warn(`Skipped: there is no Bluesky server here: ${missing}.`);

describe.skipIf(missing !== null)("bluesky by OAuth on a real server", () => {
  let pds: RunningPds;
  let account: PdsAccount;
  let network: NetworkConfig;
  beforeAll(async () => {
    pds = await startPds();
    account = await pds.createAccount("consenter");
    network = { baseUrl: pds.url, directoryUrl: pds.directoryUrl, clientId: "", clientSecret: "" };
  });
  afterAll(() => pds?.close());

  const createJob = (accessToken: string, content = text("By OAuth")): Job =>
    openJob({ ...account, accessToken }, network, content);
  const io = () => createJob("");

  async function start(identifier: string, own = network, origin = ORIGIN) {
    const codeVerifier = randomBytes(32).toString("base64url");
    const codeChallenge = createHash("sha256").update(codeVerifier).digest("base64url");
    const redirectUri = `${origin}/connect/callback/bluesky`;
    const request = { redirectUri, state: randomBytes(32).toString("base64url"), codeChallenge, origin, identifier };
    const opened = await connector.authorizeUrl(own, request, io());
    if (typeof opened === "string") throw new Error("nothing to remember");
    const finish = (query: URLSearchParams): Promise<Grant> => {
      const [code, issuer] = [query.get("code") ?? "", query.get("iss")];
      return connector.exchange(own, { code, issuer, redirectUri, codeVerifier, remembered: opened.remembered }, io());
    };
    return { url: opened.url, state: request.state, finish };
  }

  async function connect(identifier = account.handle, own = network, origin = ORIGIN): Promise<ConnectableAccount> {
    const { url, state, finish } = await start(identifier, own, origin);
    const query = await consentAt(url, account);
    expect(query.get("state")).toBe(state);
    const grant = await finish(query);
    expect(grant.scopes).toEqual(["atproto", "transition:generic"]);
    const [found] = await connector.identify(own, grant, io());
    if (!found) throw new Error("no account");
    return found;
  }

  async function requestServiceToken(accessToken: string, aud: string): Promise<number> {
    const query = { aud, lxm: "com.atproto.repo.uploadBlob" };
    const request = { method: "GET", name: "com.atproto.server.getServiceAuth", authorized: true, query } as const;
    const { status, body } = await callAccountServer(createJob(accessToken), pds.url, request);
    const [, claims = "e30"] = String(body.token ?? "").split(".");
    if (status === 200) {
      expect(JSON.parse(Buffer.from(claims, "base64url").toString())).toMatchObject({ iss: account.did, ...query });
    }
    return status;
  }

  test("an account is connected by its handle; posts, pictures, and a refresh in between", async () => {
    const { tokens, ...found } = await connect();
    const { did, handle } = account;
    expect(found).toEqual({ externalId: did, username: handle, displayName: handle, kind: "profile", grantorId: did });
    expect((await publishToEnd(bluesky, createJob(tokens.accessToken))).state).toBe("published");
    const many = pictures([file("photo.png"), file("photo.png")]);
    expect((await publishToEnd(bluesky, createJob(tokens.accessToken, many))).state).toBe("published");

    const fresh = await bluesky.refresh(network, tokens, io());
    expect(fresh.refreshToken).not.toBe(tokens.refreshToken);
    expect((fresh.expiresAt?.getTime() ?? 0) - Date.now()).toBeGreaterThan(60_000);
    expect((await publishToEnd(bluesky, createJob(fresh.accessToken))).state).toBe("published");
    const query = { repo: did, collection: "app.bsky.feed.post" };
    const { records } = await pds.call("GET", "com.atproto.repo.listRecords", { query });
    expect(records).toHaveLength(3);
  });

  test("a disconnected account has no session at the server", async () => {
    const { tokens } = await connect(account.did);
    expect(await revokeConsent("bluesky", network, tokens, io())).toBe(true);
    expect(await expectFailure(publishToEnd(bluesky, createJob(tokens.accessToken)))).toMatchObject({ class: "auth" });
    expect(await expectFailure(bluesky.refresh(network, tokens, io()))).toMatchObject({
      class: "auth",
      code: "invalid_grant",
    });
  });

  test("a refresh token that is used twice ends the session", async () => {
    const { tokens } = await connect(pds.url);
    const fresh = await bluesky.refresh(network, tokens, io());
    expect(await expectFailure(bluesky.refresh(network, tokens, io()))).toMatchObject({ class: "auth" });
    expect(await expectFailure(bluesky.refresh(network, fresh, io()))).toMatchObject({ class: "auth" });
  });

  test("a token for the video service is issued to the session", async () => {
    const { tokens } = await connect();
    const { did } = await pds.call("GET", "com.atproto.server.describeServer");
    expect(await requestServiceToken(tokens.accessToken, String(did))).toBe(200);
  });

  test("a person who denies, and one who signs in as another account", async () => {
    const denied = await consentAt((await start(account.handle)).url, account, "deny");
    expect(denied.get("error")).toBe("access_denied");
    const other = await pds.createAccount("another");
    const { url, finish } = await start(pds.url);
    expect((await finish(await consentAt(url, other))).subject).toBe(other.did);
    const named = await start(account.handle);
    const failed = await expectFailure(consentAt(named.url, other).then(named.finish));
    expect(failed.code).toBe("another_account");
  });

  test("a client with a key is known by its document, and its sessions last longer", async () => {
    const pair = (await crypto.subtle.generateKey({ name: "ECDSA", namedCurve: "P-256" }, true, [
      "sign",
    ])) as CryptoKeyPair;
    const key = { ...((await crypto.subtle.exportKey("jwk", pair.privateKey)) as JsonWebKey), kid: "first" };
    const own = { ...network, clientSecret: JSON.stringify(key) };
    // The server reads no document of example.com; this one it takes from the test.
    const origin = "https://publisher.example.workers.dev";
    const document = describeClient(own, origin, `${origin}/connect/callback/bluesky`);
    pds.showDocument(String(document.client_id), document);
    const { tokens } = await connect(account.handle, own, origin);
    expect(((tokens.refreshTokenExpiresAt?.getTime() ?? 0) - Date.now()) / 86_400_000).toBeGreaterThan(700);
    const fresh = await bluesky.refresh(own, tokens, io());
    expect((await publishToEnd(bluesky, createJob(fresh.accessToken))).state).toBe("published");
    // Without the key, nobody else can use the refresh token.
    expect(await expectFailure(bluesky.refresh(network, { ...tokens, ...fresh }, io()))).toMatchObject({
      class: "auth",
    });
  });

  test("single permissions, in place of all that an app password has, are enough for posts", async () => {
    const scopes = [
      ...["atproto", "repo:app.bsky.feed.post?action=create", "blob:image/*", "blob:video/*"],
      "rpc:com.atproto.repo.uploadBlob?aud=*",
    ];
    const own = { ...network, scopes };
    const { url, finish } = await start(account.handle, own);
    const grant = await finish(await consentAt(url, account));
    expect(grant.scopes.toSorted()).toEqual(scopes.toSorted());
    const job = createJob(grant.accessToken, pictures([file("photo.png")]));
    expect((await publishToEnd(bluesky, job)).state).toBe("published");
    const { did } = await pds.call("GET", "com.atproto.server.describeServer");
    expect(await requestServiceToken(grant.accessToken, String(did))).toBe(200);
  });

  test("a token without its key is of no use", async () => {
    const { tokens } = await connect();
    const session = JSON.parse(tokens.accessToken) as { token: string; key: JsonWebKey };
    expect((await expectFailure(publishToEnd(bluesky, createJob(session.token)))).class).toBe("auth");
    const algorithm = { name: "ECDSA", namedCurve: "P-256" };
    const pair = (await crypto.subtle.generateKey(algorithm, true, ["sign"])) as CryptoKeyPair;
    const { kty, crv, x, y, d } = (await crypto.subtle.exportKey("jwk", pair.privateKey)) as JsonWebKey;
    const stolen = JSON.stringify({ ...session, key: { kty, crv, x, y, d } });
    expect((await expectFailure(publishToEnd(bluesky, createJob(stolen)))).class).toBe("auth");
  });
});
