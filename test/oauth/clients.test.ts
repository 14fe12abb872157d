// Clients: registration with its limit, descriptions at the URL of their id, and the metadata of the server.
import { createServer, type RequestListener, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, expect, test } from "vitest";
import apiWorker from "../../functions/index.ts";
import { TOOLS } from "../../functions/mcp/tools.ts";
import { AGENT_PERMISSIONS } from "../../lib/shared/permissions.ts";
import { createBindings, createTestTenant } from "../support/harness.ts";
import { stopClock } from "../support/stop-clock.ts";
import { type Browser, createBrowser, ORIGIN, signInOwner } from "../workspace/dashboard.ts";
import { consent, createProgram, createProgramFetch, exchange, startAttempt } from "./flow.ts";

const register = (body: unknown, fetch = createProgramFetch()) =>
  fetch(`${ORIGIN}/oauth/register`, { method: "POST", body: typeof body === "string" ? body : JSON.stringify(body) });

test("201 for a client that is told what it is, with its name on one line", async () => {
  const response = await register({
    client_name: "Plan\u202ener\n\u0000 \ud800",
    redirect_uris: [
      "https://a.example/cb",
      "com.example.app:/cb",
      "http://[::1]:5000/",
      "cursor://anysphere.cursor-mcp/oauth/callback",
    ],
    token_endpoint_auth_method: "client_secret_basic",
    logo_uri: "https://a.example/logo.png",
  });
  expect(response.status).toBe(201);
  const client = await response.json<Record<string, unknown>>();
  expect(client).toMatchObject({
    client_name: "Plan ner \ufffd",
    token_endpoint_auth_method: "none",
    response_types: ["code"],
  });
  expect(client).not.toHaveProperty("client_secret");
});

test.each([
  ["null", null],
  ["blanks alone", " \n "],
  ["invisible characters alone", "\u200b\u2060\ufeff\u3164\u2800"],
])("201 for a client whose name is %s, and whose other fields are null", async (_, client_name) => {
  const others = { grant_types: null, response_types: null, token_endpoint_auth_method: null };
  const response = await register({ redirect_uris: ["https://a.example/cb"], client_name, ...others });
  expect([response.status, await response.json()]).toMatchObject([201, { client_name: "An app without a name" }]);
});

test.each([
  ["no JSON", "{", "invalid_client_metadata"],
  ["null", "null", "invalid_client_metadata"],
  ["nothing", {}, "invalid_redirect_uri"],
  ["no address", { redirect_uris: [] }, "invalid_redirect_uri"],
  [
    "eleven addresses",
    { redirect_uris: Array.from({ length: 11 }, (_, at) => `https://a.example/${at}`) },
    "invalid_redirect_uri",
  ],
  ["http", { redirect_uris: ["http://a.example/cb"] }, "invalid_redirect_uri"],
  ["a fragment", { redirect_uris: ["https://a.example/cb#a"] }, "invalid_redirect_uri"],
  ["a script", { redirect_uris: ["javascript:alert(1)"] }, "invalid_redirect_uri"],
  ["a scheme that anybody may have", { redirect_uris: ["app:/cb"] }, "invalid_redirect_uri"],
  ["a wildcard in the host", { redirect_uris: ["https://*.example/cb\\"] }, "invalid_redirect_uri"],
  [
    "another grant type",
    { redirect_uris: ["https://a.example/cb"], grant_types: ["implicit"] },
    "invalid_client_metadata",
  ],
  [
    "another response type",
    { redirect_uris: ["https://a.example/cb"], response_types: ["token"] },
    "invalid_client_metadata",
  ],
  ["a name that is no text", { redirect_uris: ["https://a.example/cb"], client_name: 1 }, "invalid_client_metadata"],
])("400 for %s", async (_, body, error) => {
  const response = await register(body);
  expect([response.status, await response.json()]).toMatchObject([400, { error }]);
});

test("413 for a registration above 64 KiB, 405 for GET, and the limit of one address is 429 with Retry-After", async () => {
  stopClock();
  const fetch = createProgramFetch();
  const large = await register({ redirect_uris: ["https://a.example/cb"], client_name: "a".repeat(70_000) }, fetch);
  expect(large.status).toBe(413);
  expect((await fetch(`${ORIGIN}/oauth/register`)).status).toBe(405);
  const all = await Promise.all(
    Array.from({ length: 61 }, () => register({ redirect_uris: ["https://a.example/cb"] }, fetch)),
  );
  const refused = all.filter(({ status }) => status === 429);
  expect(refused.length).toBeGreaterThanOrEqual(1);
  expect(Number(refused[0]?.headers.get("retry-after"))).toBeGreaterThan(0);
  expect((await register({ redirect_uris: ["https://a.example/cb"] })).status).toBe(201);
});

test("metadata of the server and of each resource, also through the Worker of the API", async () => {
  const pages = { fetch: createProgramFetch() };
  const get = async (path: string) => {
    const context = { waitUntil: () => undefined, passThroughOnException() {} } as unknown as ExecutionContext;
    const env = {
      ...createBindings([]),
      PUBLIC_URL: ORIGIN,
      WORKSPACE: { fetch: (request: Request) => pages.fetch(request.url, request) },
    };
    const response = await apiWorker.fetch(new Request(`${ORIGIN}${path}`), env, context);
    return { status: response.status, body: response.ok ? await response.json<Record<string, unknown>>() : null };
  };
  const server = await get("/.well-known/oauth-authorization-server");
  expect(server.body).toMatchObject({
    issuer: ORIGIN,
    code_challenge_methods_supported: ["S256"],
    authorization_response_iss_parameter_supported: true,
    client_id_metadata_document_supported: true,
  });
  for (const path of ["", "/mcp", "/api/partner/v1"]) {
    const { body } = await get(`/.well-known/oauth-protected-resource${path}`);
    expect(body).toMatchObject({ resource: `${ORIGIN}${path}`, authorization_servers: [ORIGIN] });
  }
  expect((await get("/.well-known/oauth-protected-resource/other")).status).toBe(404);
});

test("agents are told of the permission of every tool", () => {
  const needed = new Set(Object.values(TOOLS).map(({ permission }) => permission));
  for (const permission of needed) expect(AGENT_PERMISSIONS).toContain(permission);
});

let host: Server;
let documents: Record<string, RequestListener> = {};
let base: string;
let browser: Browser;
let fetched = 0;

beforeAll(async () => {
  host = createServer((request, response) => {
    fetched += 1;
    const answer = documents[request.url ?? ""];
    if (answer) answer(request, response);
    else response.writeHead(404).end();
  });
  await new Promise<void>((resolve) => host.listen(0, "127.0.0.1", resolve));
  base = `http://127.0.0.1:${(host.address() as AddressInfo).port}`;
  const owner = await signInOwner(await createTestTenant());
  browser = createBrowser(ORIGIN, { ALLOWED_PRIVATE_HOSTS: new URL(base).host });
  for (const [name, value] of owner.cookies) browser.cookies.set(name, value);
});
afterAll(() => {
  host.closeAllConnections();
  host.close();
});

const serve =
  (body: unknown, { status = 200, type = "application/json", location = "" } = {}): RequestListener =>
  (_, response) => {
    response.writeHead(status, { "Content-Type": type, ...(location ? { Location: location } : {}) });
    response.end(typeof body === "string" ? body : JSON.stringify(body));
  };

const redirectUri = "https://planner.example/callback";
const describe = (path: string, changes: object = {}) => ({
  client_id: `${base}${path}`,
  client_name: "Planner",
  redirect_uris: [redirectUri],
  ...changes,
});

test("a client whose id is the URL of its description: the whole flow, fetched once", async () => {
  documents = { "/planner.json": serve(describe("/planner.json")) };
  const program = { ...(await createProgram()), client: { client_id: `${base}/planner.json` }, redirectUri };
  const before = fetched;
  const attempt = await startAttempt(program);
  const page = await browser.visit(attempt.path);
  expect(page.text).toContain("Planner asks for access");
  // The host that is shown is that of the description, whose word the rest is.
  expect(page.text).toContain(`<strong>${new URL(base).host}</strong>`);
  const tokens = await exchange(program, attempt, await consent(browser, attempt));
  expect(tokens.token_type).toBe("bearer");
  expect(fetched - before).toBe(1);
  const other = await startAttempt({ ...program, redirectUri: "https://evil.example/callback" });
  expect((await browser.visit(other.path)).status).toBe(400);
});

test.each([
  ["another client_id", () => serve(describe("/other.json")), /another client_id/],
  ["a secret", () => serve(describe("/a.json", { client_secret: "x" })), /client_secret/],
  ["no addresses", () => serve(describe("/a.json", { redirect_uris: [] })), /redirect_uris/],
  ["no JSON", () => serve("<html>"), /not valid JSON/],
  ["another type", () => serve(describe("/a.json"), { type: "text/html" }), /must be JSON/],
  ["a redirect", () => serve("", { status: 302, location: "/b.json" }), /redirects/],
  ["an error", () => serve({}, { status: 500 }), /status is 500/],
  ["too much", () => serve(describe("/a.json", { x: "a".repeat(20_000) })), /larger than 16 KiB/],
])("400 for a description with %s", async (_, answer, reason) => {
  documents = { "/a.json": answer(), "/b.json": serve(describe("/a.json")) };
  const attempt = await startAttempt({ client: { client_id: `${base}/a.json` }, redirectUri });
  const page = await browser.visit(attempt.path);
  expect([page.status, page.headers.get("location")]).toEqual([400, null]);
  expect(page.text).toMatch(reason);
});

test.each([
  ["http", () => "http://planner.example/client.json"],
  ["a private address", () => "https://10.0.0.1/client.json"],
  ["the metadata of a cloud", () => "https://169.254.169.254/client.json"],
  ["no path", () => "https://planner.example/"],
  ["a fragment", () => "https://planner.example/client.json#a"],
  ["a user name", () => "https://a@planner.example/client.json"],
  ["dots", () => "https://planner.example/a/../client.json"],
  ["a private port", () => `${base.replace("127.0.0.1", "localhost")}/planner.json`],
])("400 for an id with %s, of which nothing is fetched", async (_, id) => {
  const before = fetched;
  const attempt = await startAttempt({ client: { client_id: id() }, redirectUri });
  const page = await browser.visit(attempt.path);
  expect([page.status, page.headers.get("location")]).toEqual([400, null]);
  expect(fetched).toBe(before);
});

test("nothing is fetched for a visitor who is signed out", async () => {
  const before = fetched;
  const attempt = await startAttempt({ client: { client_id: "https://planner.example/client.json" }, redirectUri });
  const page = await createBrowser().visit(attempt.path);
  expect([page.status, page.headers.get("location")]).toEqual([
    302,
    expect.stringContaining("/dashboard/sign-in?next="),
  ]);
  expect(fetched).toBe(before);
});
