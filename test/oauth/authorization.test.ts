// Authorization requests that a client must not get a code for, and where the browser is sent then.
import * as oauth from "oauth4webapi";
import { beforeAll, expect, test } from "vitest";
import { createTestTenant, type Tenant } from "../support/harness.ts";
import { type Browser, createBrowser, ORIGIN, signInOwner } from "../workspace/dashboard.ts";
import { consent, createProgram, exchange, type Program, PUBLIC, readConsent, startAttempt } from "./flow.ts";

let tenant: Tenant;
let browser: Browser;
let program: Program;
let native: Program;

beforeAll(async () => {
  tenant = await createTestTenant();
  browser = await signInOwner(tenant);
  program = await createProgram();
  native = await createProgram({ redirectUri: "http://127.0.0.1:4000/callback?app=1" });
});

test.each([
  ["another host", "https://evil.example/callback"],
  ["another path", "https://client.example/other"],
  ["a longer path", "https://client.example/callback/more"],
  ["a path with dots", "https://client.example/callback/../evil"],
  ["dots that are encoded", "https://client.example/callback/%2e%2e/evil"],
  ["another port", "https://client.example:8443/callback"],
  ["another scheme", "http://client.example/callback"],
  ["a user name", "https://client.example@evil.example/callback"],
  ["a user name before its own host", "https://a:b@client.example/callback"],
  ["a fragment", "https://client.example/callback#x"],
  ["a query", "https://client.example/callback?x=1"],
  ["capital letters", "https://CLIENT.example/callback"],
  ["a capital path", "https://client.example/Callback"],
  ["a slash at the end", "https://client.example/callback/"],
  ["a backslash", "https://client.example\\@evil.example/callback"],
  ["a line break", "https://client.example/callback\n"],
  ["a subdomain", "https://client.example.evil.example/callback"],
  ["a script", "javascript:alert(1)"],
  ["data", "data:text/html,x"],
  ["no scheme", "//client.example/callback"],
  ["nothing", ""],
])("400 and no redirect to %s, with and without a session", async (_, redirect_uri) => {
  const { path } = await startAttempt(program, { redirect_uri });
  for (const visitor of [browser, createBrowser()]) {
    const page = await visitor.visit(path);
    expect([page.status, page.headers.get("location")]).toEqual([400, null]);
    if (redirect_uri) expect(page.text).not.toContain(`href="${redirect_uri}`);
    const posted = await visitor.visit(path, {
      form: { workspace: tenant.workspaceId ?? "", permissions: "posts:read" },
    });
    expect([400, 403]).toContain(posted.status);
    expect(posted.headers.get("location")).toBeNull();
  }
});

test.each([
  ["another port", "http://127.0.0.1:51234/callback?app=1", 200],
  ["no port", "http://127.0.0.1/callback?app=1", 200],
  ["another path", "http://127.0.0.1:4000/other?app=1", 400],
  ["another query", "http://127.0.0.1:4000/callback?app=2", 400],
  ["another name of the device", "http://localhost:4000/callback?app=1", 400],
  ["a host that looks like a port", "http://127.0.0.1:80@evil.example/callback?app=1", 400],
  ["a host that looks like the device", "http://127.0.0.1.evil.example/callback?app=1", 400],
  ["https", "https://127.0.0.1:4000/callback?app=1", 400],
])("an app on the device with %s", async (_, redirect_uri, status) => {
  const { path } = await startAttempt(native, { redirect_uri });
  expect((await browser.visit(path)).status).toBe(status);
});

test("the query of a registered address stays, and the port of the request counts", async () => {
  const redirectUri = "http://127.0.0.1:51234/callback?app=1";
  const attempt = await startAttempt(native, { redirect_uri: redirectUri });
  const address = await consent(browser, attempt);
  expect(address.href).toMatch(/^http:\/\/127\.0\.0\.1:51234\/callback\?app=1&code=/);
  const wrong = { ...native, redirectUri: "http://127.0.0.1:4000/callback?app=1" };
  await expect(exchange(wrong, attempt, address)).rejects.toMatchObject({ error: "invalid_grant" });
  expect((await exchange({ ...native, redirectUri }, attempt, address)).token_type).toBe("bearer");
});

test.each([
  ["an unknown client", { client_id: "oc_0123456789abcdef0123456789abcdef" }],
  ["no client", { client_id: null }],
  ["no address", { redirect_uri: null }],
])("400 for %s", async (_, changes) => {
  const { path } = await startAttempt(program, changes);
  for (const visitor of [browser, createBrowser()]) {
    const page = await visitor.visit(path);
    expect([page.status, page.headers.get("location")]).toEqual([400, null]);
  }
});

test.each([
  ["plain PKCE", { code_challenge_method: "plain" }, "invalid_request"],
  ["PKCE without a method, which means plain", { code_challenge_method: null }, "invalid_request"],
  ["no PKCE", { code_challenge: null, code_challenge_method: null }, "invalid_request"],
  ["a challenge that is no SHA-256", { code_challenge: "abc" }, "invalid_request"],
  ["a token in the address", { response_type: "token" }, "unsupported_response_type"],
  ["no response type", { response_type: null }, "unsupported_response_type"],
  ["a resource of somebody else", { resource: "https://other.example/mcp" }, "invalid_target"],
  ["a resource that begins like ours", { resource: `${ORIGIN}.evil.example/mcp` }, "invalid_target"],
  ["no known permission", { scope: "everything posts:admin" }, "invalid_scope"],
])("%s goes back to the client as an error, and to nobody without a session", async (_, changes, error) => {
  const { path, state } = await startAttempt(program, changes);
  const page = await browser.visit(path);
  expect(page.status).toBe(303);
  const address = new URL(page.headers.get("location") ?? "");
  expect(address.origin + address.pathname).toBe("https://client.example/callback");
  expect(Object.fromEntries(address.searchParams)).toMatchObject({ error, state, iss: ORIGIN });
  expect(() => oauth.validateAuthResponse(program.server, program.client, address, state)).toThrow(
    oauth.AuthorizationResponseError,
  );
  const visitor = await createBrowser().visit(path);
  expect([visitor.status, visitor.headers.get("location")]).toEqual([400, null]);
});

test("a parameter that is given twice is refused, except resource", async () => {
  const { path, state } = await startAttempt(program);
  const twice = new URL(
    (await browser.visit(`${path}&scope=posts:read&scope=posts:publish`)).headers.get("location") ?? "",
  );
  expect(Object.fromEntries(twice.searchParams)).toMatchObject({ error: "invalid_request", state });
  expect((await browser.visit(`${path}&redirect_uri=https%3A%2F%2Fevil.example`)).status).toBe(400);
  expect((await browser.visit(`${path}&client_id=x`)).status).toBe(400);
  const both = `&resource=${encodeURIComponent(`${ORIGIN}/mcp`)}&resource=${encodeURIComponent(`${ORIGIN}/api/partner/v1`)}`;
  expect((await browser.visit(path + both)).status).toBe(200);
});

test.each([
  ["with its scheme and host in capitals", `${ORIGIN.toUpperCase()}/mcp`],
  ["with a slash at the end", `${ORIGIN}/mcp/`],
  ["without a value, as if it were not sent", ""],
])("200 for a resource %s, also when the code is exchanged and the token refreshed", async (_, resource) => {
  const attempt = await startAttempt(program, { resource });
  const code = (await consent(browser, attempt)).searchParams.get("code") ?? "";
  const send = async (fields: Record<string, string>) => {
    const body = new URLSearchParams({ client_id: program.client.client_id, resource, ...fields });
    const response = await program.fetch(`${ORIGIN}/oauth/token`, { method: "POST", body });
    return { status: response.status, ...(await response.json<{ refresh_token: string }>()) };
  };
  const address = { redirect_uri: program.redirectUri, code_verifier: attempt.verifier };
  const exchanged = await send({ grant_type: "authorization_code", code, ...address });
  expect(exchanged.status).toBe(200);
  expect((await send({ grant_type: "refresh_token", refresh_token: exchanged.refresh_token })).status).toBe(200);
});

test.each([
  ["a query", `${ORIGIN}/mcp?a=1`],
  ["a fragment", `${ORIGIN}/mcp#a`],
  ["a user name", ORIGIN.replace("://", "://a@")],
  ["another path", `${ORIGIN}/mcp/a`],
])("invalid_target for a resource with %s", async (_, resource) => {
  const page = await browser.visit((await startAttempt(program, { resource })).path);
  expect(page.headers.get("location")).toContain("error=invalid_target");
});

test("a visitor signs in first, and comes back to the same request", async () => {
  const { path } = await startAttempt(program, { scope: "posts:read posts:write", resource: `${ORIGIN}/mcp` });
  const page = await createBrowser().visit(path);
  expect(page.status).toBe(302);
  const signIn = await createBrowser().visit(page.headers.get("location") ?? "");
  const next = /data-next="([^"]+)"/.exec(signIn.text)?.[1]?.replaceAll("&amp;", "&") ?? "";
  expect(Object.fromEntries(new URLSearchParams(next.split("?")[1]))).toEqual(
    Object.fromEntries(new URLSearchParams(path.split("?")[1])),
  );
  expect((await browser.visit(next)).status).toBe(200);
  for (const elsewhere of ["/oauth/authorizeevil", "//evil.example/oauth/authorize", "/oauth/token"]) {
    const other = await createBrowser().visit(`/dashboard/sign-in?next=${encodeURIComponent(elsewhere)}`);
    expect(other.text).toContain('data-next="/dashboard"');
  }
});

test("a host with a semicolon or a comma adds nothing to the policy of the page", async () => {
  for (const redirectUri of ["https://client;sandbox/callback", "https://client,sandbox/callback"]) {
    const { path } = await startAttempt(await createProgram({ redirectUri }));
    const page = await browser.visit(path);
    expect(page.status).toBe(200);
    const policy = page.headers.get("content-security-policy") ?? "";
    expect(policy).toContain("form-action 'self' https:; frame-ancestors 'none'");
    expect(policy).not.toContain("sandbox");
  }
});

test("the person may cancel, choose a preset, and no page may frame the consent", async () => {
  const attempt = await startAttempt(program, { scope: "posts:read posts:write posts:publish files:read" });
  const page = await browser.visit(attempt.path);
  const policy = page.headers.get("content-security-policy") ?? "";
  expect(policy).toContain("frame-ancestors 'none'");
  expect(policy).toContain("form-action 'self' https://client.example;");
  const address = new URL(readConsent(page.text).cancel);
  expect(Object.fromEntries(address.searchParams)).toMatchObject({ error: "access_denied", iss: ORIGIN });
  expect(() => oauth.validateAuthResponse(program.server, program.client, address, attempt.state)).toThrow(
    /access_denied|authorization response/i,
  );
  for (const [preset, ticked] of [
    ["read", ["posts:read", "files:read"]],
    ["drafts", ["posts:read", "posts:write", "files:read"]],
    ["all", ["posts:read", "posts:write", "posts:publish", "files:read"]],
    ["unknown", ["posts:read", "posts:write", "posts:publish", "files:read"]],
  ] as const) {
    const { form, permissions } = readConsent((await browser.visit(`${attempt.path}&preset=${preset}`)).text);
    expect(form.getAll("permissions")).toEqual(ticked);
    expect(permissions).toHaveLength(4);
  }
});

test("an answer of another server is told apart by iss", async () => {
  const attempt = await startAttempt(program);
  const address = await consent(browser, attempt);
  const check = (changed: URL) => () =>
    oauth.validateAuthResponse(program.server, program.client, changed, attempt.state);
  expect(check(address)).not.toThrow();
  const mixed = new URL(address);
  mixed.searchParams.set("iss", "https://evil.example");
  expect(check(mixed)).toThrow(/iss/);
  mixed.searchParams.delete("iss");
  expect(check(mixed)).toThrow(/iss/);
});

test.each([
  ["another verifier", { code_verifier: oauth.generateRandomCodeVerifier() }, "invalid_grant"],
  ["no verifier", { code_verifier: null }, "invalid_request"],
  ["a short verifier", { code_verifier: "abc" }, "invalid_request"],
  ["an unknown client", { client_id: "oc_0123456789abcdef0123456789abcdef" }, "invalid_client"],
  ["a client that has a description", { client_id: "https://planner.example/client.json" }, "invalid_grant"],
  ["another address", { redirect_uri: "https://client.example/other" }, "invalid_grant"],
  ["another resource", { resource: `${ORIGIN}/mcp` }, "invalid_grant"],
  ["a resource of somebody else", { resource: "https://other.example" }, "invalid_target"],
  ["another grant type", { grant_type: "password" }, "unsupported_grant_type"],
  ["no code", { code: null }, "invalid_request"],
])("a code with %s gives nothing, and still works for its client", async (_, changes, error) => {
  const attempt = await startAttempt(program, { resource: `${ORIGIN}/api/partner/v1` });
  const address = await consent(browser, attempt);
  const fields: Record<string, string | null> = {
    grant_type: "authorization_code",
    client_id: program.client.client_id,
    code: address.searchParams.get("code"),
    redirect_uri: program.redirectUri,
    code_verifier: attempt.verifier,
    ...changes,
  };
  const given = Object.entries(fields).filter((entry): entry is [string, string] => entry[1] !== null);
  const response = await program.fetch(`${ORIGIN}/oauth/token`, { method: "POST", body: new URLSearchParams(given) });
  expect([response.status, await response.json()]).toMatchObject([400, { error }]);
  expect(response.headers.get("cache-control")).toBe("no-store");
  expect((await exchange(program, attempt, address)).token_type).toBe("bearer");
});

test("another client can neither refresh nor revoke what it did not get", async () => {
  const attempt = await startAttempt(program);
  const tokens = await exchange(program, attempt, await consent(browser, attempt));
  const other = await createProgram();
  const { server, client, options } = other;
  const later = await startAttempt(program);
  const address = await consent(browser, later);
  const exchanged = exchange({ ...program, client }, later, address);
  await expect(exchanged).rejects.toMatchObject({ error: "invalid_grant" });
  const refreshed = await oauth.refreshTokenGrantRequest(server, client, PUBLIC, tokens.refresh_token ?? "", options);
  expect(await refreshed.json()).toMatchObject({ error: "invalid_grant" });
  const gone = { client_id: "oc_0123456789abcdef0123456789abcdef" };
  for (const token of [tokens.refresh_token ?? "", "rt_unknown"]) {
    const unregistered = await oauth.refreshTokenGrantRequest(server, gone, PUBLIC, token, options);
    expect([unregistered.status, await unregistered.json()]).toMatchObject([400, { error: "invalid_client" }]);
  }
  const revoked = await oauth.revocationRequest(server, client, PUBLIC, tokens.access_token, options);
  expect([revoked.status, await revoked.json()]).toMatchObject([400, { error: "invalid_grant" }]);
  const unknown = await oauth.revocationRequest(server, client, PUBLIC, "at_0123456789abcdef.x", options);
  expect(await oauth.processRevocationResponse(unknown)).toBeUndefined();
  const again = await oauth.refreshTokenGrantRequest(
    server,
    program.client,
    PUBLIC,
    tokens.refresh_token ?? "",
    options,
  );
  expect(again.status).toBe(200);
});
