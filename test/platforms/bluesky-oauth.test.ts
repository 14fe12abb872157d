// OAuth of Bluesky accounts on servers that the fake is not: what a server may not do, and what a client must check.
import { createHash, createPublicKey, verify } from "node:crypto";
import { expect, test } from "vitest";
import { callAccountServer } from "../../lib/platforms/bluesky/account-server.ts";
import { bluesky } from "../../lib/platforms/bluesky/driver.ts";
import { revokeConsent } from "../../lib/platforms/revocation.ts";
import {
  connect,
  createServers,
  DID,
  describeServer,
  ISSUER,
  json,
  NETWORK,
  ORIGIN,
  open,
  PDS,
  REDIRECT,
  type Respond,
  type Servers,
  start,
  TOKENS,
} from "./bluesky-servers.ts";
import { expectFailure } from "./publish-to-end.ts";

const findRequests = ({ requests }: Servers, url: string) => requests.filter((one) => one.url === url);

function readJwt(token: string | null) {
  const [head = "", body = "", signature = ""] = (token ?? "").split(".");
  const decode = (part: string) => JSON.parse(Buffer.from(part, "base64url").toString()) as Record<string, unknown>;
  const isSignedBy = (jwk: JsonWebKey) =>
    verify(
      "sha256",
      Buffer.from(`${head}.${body}`),
      { key: createPublicKey({ key: jwk, format: "jwk" }), dsaEncoding: "ieee-p1363" },
      Buffer.from(signature, "base64url"),
    );
  return { header: decode(head), claims: decode(body), isSignedBy };
}

test("a consent is pushed to the server that the account's own server names", async () => {
  const servers = createServers();
  const { url } = await start(servers, "@Ann.example.com ");
  const clientId = `${ORIGIN}/connect/client-metadata.json`;
  const query = new URLSearchParams({ client_id: clientId, request_uri: "urn:ietf:params:oauth:request_uri:1" });
  expect(url).toBe(`${ISSUER}/authorize?${query}`);
  const [pushed] = findRequests(servers, `${ISSUER}/par`);
  expect(Object.fromEntries(pushed?.form ?? [])).toEqual({
    ...{
      client_id: clientId,
      response_type: "code",
      redirect_uri: REDIRECT.redirectUri,
      login_hint: "ann.example.com",
    },
    ...{ state: "s".repeat(43), code_challenge: "c".repeat(43), code_challenge_method: "S256" },
    scope: "atproto transition:generic",
  });
});

test.each<[string, Record<string, Respond>, string]>([
  [
    "a handle that the account does not claim",
    { "https://plc.directory/did%3Aplc%3Aann": () => ({ ...didOf("eve.example.com") }) },
    "handle_unconfirmed",
  ],
  [
    "a server without OAuth",
    { [`${PDS}/.well-known/oauth-protected-resource`]: () => undefined },
    "server_unsupported",
  ],
  [
    "a redirect to another server",
    { [`${PDS}/.well-known/oauth-protected-resource`]: () => Response.redirect(`${ISSUER}/elsewhere`, 302) },
    "server_unsupported",
  ],
  [
    "two authorization servers",
    {
      [`${PDS}/.well-known/oauth-protected-resource`]: () => ({ resource: PDS, authorization_servers: [ISSUER, PDS] }),
    },
    "server_unsupported",
  ],
  [
    "the metadata of another server",
    { [`${ISSUER}/.well-known/oauth-authorization-server`]: () => describeServer(PDS) },
    "server_unsupported",
  ],
  [
    "a sign-in page without HTTPS",
    serverWith({ authorization_endpoint: "http://login.example.net/authorize" }),
    "server_unsupported",
  ],
  [
    "a sign-in page that is a script",
    serverWith({ authorization_endpoint: "javascript:alert(1)" }),
    "server_unsupported",
  ],
  [
    "answers that do not name their server",
    serverWith({ authorization_response_iss_parameter_supported: false }),
    "server_unsupported",
  ],
  [
    "metadata that never ends",
    {
      [`${ISSUER}/.well-known/oauth-authorization-server`]: () =>
        json({ ...describeServer(ISSUER), filler: "x".repeat(1_100_000) }),
    },
    "server_unsupported",
  ],
  [
    "a server that rejects this client",
    { [`${ISSUER}/par`]: () => json({ error: "invalid_client_metadata" }, 400) },
    "invalid_client_metadata",
  ],
])("%s ends the connection before the browser goes anywhere", async (_what, change, code) => {
  expect((await expectFailure(start(createServers(change)))).code).toBe(code);
});

function didOf(handle: string) {
  const service = [{ id: "#atproto_pds", type: "AtprotoPersonalDataServer", serviceEndpoint: PDS }];
  return { id: DID, alsoKnownAs: [`at://${handle}`], service };
}

function serverWith(change: Record<string, unknown>): Record<string, Respond> {
  return { [`${ISSUER}/.well-known/oauth-authorization-server`]: () => describeServer(ISSUER, change) };
}

test.each([
  ["the account's server", "pds.example.net"],
  ["its authorization server", "login.example.net"],
])("nothing is sent to %s at a private address", async (_what, host) => {
  const servers = createServers({}, { [host]: ["10.0.0.1"] });
  expect((await expectFailure(start(servers))).code).toBe("server_unsupported");
  expect(servers.requests.filter(({ url }) => new URL(url).host === host)).toEqual([]);
});

test.each([
  "https://bsky.app/profile/ann.example.com",
  "@ann.example.com",
  "at://ann.example.com",
  "\u202aann.example.com\u202c",
])("%s names the account, not a server", async (identifier) => {
  expect((await connect(createServers(), { identifier })).subject).toBe(DID);
});

test("https://ann.bsky.social is the handle of an account", async () => {
  const servers = createServers({ "https://plc.directory/did%3Aplc%3Aann": () => didOf("ann.bsky.social") });
  expect((await connect(servers, { identifier: "https://ann.bsky.social" })).subject).toBe(DID);
});

test("another server's answer is not exchanged, and another account's token not kept", async () => {
  const servers = createServers();
  expect((await expectFailure(connect(servers, { issuer: PDS }))).code).toBe("issuer_mismatch");
  expect(findRequests(servers, `${ISSUER}/token`)).toEqual([]);
  const bob = createServers({ [`${ISSUER}/token`]: () => ({ ...TOKENS, sub: "did:plc:bob" }) });
  expect((await expectFailure(connect(bob))).code).toBe("another_account");
  expect(findRequests(bob, `${ISSUER}/revoke`)[0]?.form.get("token")).toBe("one");
  // A server that was named without an account may only speak for its own accounts.
  expect((await expectFailure(connect(bob, { identifier: `${PDS}/` }))).code).toBe("server_mismatch");
  expect((await connect(createServers(), { identifier: PDS })).subject).toBe(DID);
  const bearer = createServers({ [`${ISSUER}/token`]: () => ({ ...TOKENS, token_type: "Bearer" }) });
  expect((await expectFailure(connect(bearer))).code).toBe("account_unidentified");
});

test("a request is signed anew with the nonce that the server asks for, once, with its body", async () => {
  const { accessToken } = await connect(createServers());
  const key = (JSON.parse(accessToken) as { key: JsonWebKey }).key;
  const name = "com.atproto.repo.uploadBlob";
  const refused = () =>
    json({ error: "use_dpop_nonce" }, 401, {
      "dpop-nonce": crypto.randomUUID(),
      "www-authenticate": 'DPoP error="use_dpop_nonce"',
    });
  const bodies: string[] = [];
  let responses = [refused, () => json({ blob: {} }, 200, { "dpop-nonce": "next" })];
  const servers = createServers({
    [`${PDS}/xrpc/${name}`]: async (request) => {
      bodies.push(await request.text());
      return responses.shift()?.();
    },
  });
  const openBody = async () => new Blob(["picture"]).stream();
  const upload = () => {
    const headers = { "content-length": "7" };
    return callAccountServer(open(servers, accessToken), PDS, {
      method: "POST",
      name,
      authorized: true,
      headers,
      openBody,
    });
  };
  expect((await upload()).status).toBe(200);
  expect(bodies).toEqual(["picture", "picture"]);
  const proofs = servers.requests.map(({ headers }) => readJwt(headers.get("dpop")));
  const ath = createHash("sha256").update("first").digest("base64url");
  for (const { header, claims, isSignedBy } of proofs) {
    expect(header).toMatchObject({
      typ: "dpop+jwt",
      alg: "ES256",
      jwk: { kty: "EC", crv: "P-256", x: key.x, y: key.y },
    });
    expect(header.jwk).not.toHaveProperty("d");
    expect(claims).toMatchObject({ htm: "POST", htu: `${PDS}/xrpc/${name}`, ath });
    expect(isSignedBy(key)).toBe(true);
  }
  expect(new Set(proofs.map(({ claims }) => claims.jti)).size).toBe(2);
  expect(servers.requests.at(-1)?.headers.get("authorization")).toBe("DPoP first");
  responses = [refused, refused, refused];
  expect((await upload()).status).toBe(401);
  expect(bodies).toHaveLength(4);
});

test("a refresh keeps the key, and is not accepted for another account", async () => {
  const { accessToken, refreshToken } = await connect(createServers());
  const renew = (response: unknown) => {
    const servers = createServers({ [`${ISSUER}/token`]: () => response });
    return { servers, tokens: bluesky.refresh(NETWORK, { accessToken, refreshToken }, open(servers)) };
  };
  const { servers, tokens } = renew({ ...TOKENS, access_token: "second", refresh_token: "two" });
  const fresh = await tokens;
  expect(fresh.refreshToken).toBe("two");
  expect(JSON.parse(fresh.accessToken)).toEqual({ ...JSON.parse(accessToken), token: "second" });
  expect(Object.fromEntries(findRequests(servers, `${ISSUER}/token`)[0]?.form ?? [])).toEqual({
    ...{ grant_type: "refresh_token", refresh_token: "one" },
    client_id: `${ORIGIN}/connect/client-metadata.json`,
  });
  expect(await expectFailure(renew({ ...TOKENS, sub: "did:plc:bob" }).tokens)).toMatchObject({
    ...{ class: "auth", code: "wrong_account" },
  });
  const ended = await expectFailure(renew(json({ error: "invalid_grant" }, 400)).tokens);
  expect(ended).toMatchObject({ class: "auth", code: "invalid_grant", message: expect.stringContaining("Reconnect") });
  expect((await expectFailure(renew(json({}, 503)).tokens)).class).toBe("transient");
});

test("a client with a key proves it in every request to the authorization server, and its sessions last longer", async () => {
  const pair = (await crypto.subtle.generateKey({ name: "ECDSA", namedCurve: "P-256" }, true, [
    "sign",
  ])) as CryptoKeyPair;
  const key = { ...((await crypto.subtle.exportKey("jwk", pair.privateKey)) as JsonWebKey), kid: "k1" };
  const network = { ...NETWORK, clientSecret: JSON.stringify(key) };
  const servers = createServers({ [`${ISSUER}/revoke`]: () => ({}) });
  const grant = await connect(servers, { network });
  expect(((grant.refreshTokenExpiresAt?.getTime() ?? 0) - Date.now()) / 86_400_000).toBeGreaterThan(700);
  await bluesky.refresh(network, grant, open(servers));
  expect(await revokeConsent("bluesky", network, grant, open(servers))).toBe(true);
  const asserted = servers.requests.filter(({ url }) => new URL(url).origin === ISSUER && !url.includes("well-known"));
  expect(asserted.map(({ url }) => new URL(url).pathname)).toEqual(["/par", "/token", "/token", "/revoke"]);
  for (const { form } of asserted) {
    expect(form.get("client_assertion_type")).toBe("urn:ietf:params:oauth:client-assertion-type:jwt-bearer");
    const { header, claims, isSignedBy } = readJwt(form.get("client_assertion"));
    expect(header).toMatchObject({ alg: "ES256", kid: "k1" });
    expect(isSignedBy({ kty: "EC", crv: "P-256", x: key.x ?? "", y: key.y ?? "" })).toBe(true);
    const clientId = `${ORIGIN}/connect/client-metadata.json`;
    expect(claims).toMatchObject({ iss: clientId, sub: clientId, aud: ISSUER });
  }
});
