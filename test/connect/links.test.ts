// Connect links and the accounts that come from them: who may do what, and what pages show.
import { sql } from "drizzle-orm";
import { expect, test } from "vitest";
import { cleanUpConnections } from "../../lib/accounts/cleanup.ts";
import {
  callControl,
  createTestAccount,
  createTestPublisher,
  createTestTenant,
  queryRows,
} from "../support/harness.ts";
import { createBrowser } from "./browser.ts";
import { createLink, listAccounts } from "./links.ts";

test("201 creates a link whose token is stored as a hash only, 200 reads and deletes it, 404 for other workspaces", async () => {
  const { api } = await createTestTenant();
  const other = await createTestTenant();
  const redirect_url = "https://example.com/done?a=1";
  const { id, path } = await createLink(api, { platforms: ["tiktok"], label: "Spring", redirect_url, expires_in: 600 });
  const token = path.split("/").at(-1) ?? "";
  expect(token).toMatch(/^[A-Za-z0-9_-]{43}$/);
  expect(JSON.stringify(await queryRows(sql`select * from connect_links where id = ${id}`))).not.toContain(token);
  const link = await api.get(`/accounts/connect-links/${id}`);
  expect(link.body.data).toMatchObject({ id, status: "open", platforms: ["tiktok"], label: "Spring", redirect_url });
  expect(JSON.stringify(link.body)).not.toContain(token);
  expect((await other.api.get(`/accounts/connect-links/${id}`)).status).toBe(404);
  expect((await other.api.delete(`/accounts/connect-links/${id}`)).status).toBe(404);
  expect((await createBrowser().get(path)).text).toContain("Spring");
  expect((await api.delete(`/accounts/connect-links/${id}`)).body.data).toEqual({ id, deleted: true });
  expect((await api.get(`/accounts/connect-links/${id}`)).status).toBe(404);
  expect(await createBrowser().get(path)).toMatchObject({ status: 404, text: expect.stringContaining("not known") });
});

test("the page says until when the link works, in the time zone of the workspace, which it names", async () => {
  const { api } = await createTestTenant();
  const { id, path } = await createLink(api);
  await queryRows(sql`update connect_links set expires_at = '2031-11-25T23:00:00Z' where id = ${id}`);
  const read = async () => (await createBrowser().get(path)).text.match(/ends on ([^.]+)\./)?.[1];
  expect(await read()).toBe("25 November 2031, 23:00 (UTC)");
  await api.patch("/workspace", { time_zone: "Europe/Berlin" });
  expect(await read()).toBe("26 November 2031, 00:00 (Europe/Berlin)");
});

test("422 for networks that do not exist, repeat, or links that live too long; 400 for networks without an app", async () => {
  const { api } = await createTestTenant();
  for (const body of [
    { platforms: ["myspace"] },
    { platforms: [] },
    { platforms: ["tiktok", "tiktok"] },
    { expires_in: 59 },
    { expires_in: 2_592_001 },
    { redirect_url: "javascript:alert(1)" },
    { label: " " },
    { more: 1 },
  ]) {
    expect(await api.post("/accounts/connect-links", body)).toMatchObject({ status: 422 });
  }
  const env = { TWITTER_CLIENT_ID: "" };
  const missing = await api.call("POST", "/accounts/connect-links", { body: { platforms: ["twitter"] }, env });
  expect(missing).toMatchObject({ status: 400, body: { error_code: "platform_unavailable" } });
  const { path } = await createLink(api);
  expect((await createBrowser(env).get(path)).text).not.toContain('value="twitter"');
});

test("409 for a hosted account, 404 for another workspace's account or an unknown one", async () => {
  const tenant = await createTestTenant();
  const hosted = await createTestAccount(tenant, "tiktok", { type: "hosted" });
  const foreign = await createTestAccount(await createTestTenant(), "tiktok");
  expect(await tenant.api.delete(`/accounts/${hosted.id}`)).toMatchObject({
    status: 409,
    body: { error_code: "account_hosted" },
  });
  expect(await listAccounts(tenant.api, "active")).toHaveLength(1);
  expect((await tenant.api.delete(`/accounts/${foreign.id}`)).status).toBe(404);
  expect((await tenant.api.delete("/accounts/x")).status).toBe(404);
  const [row] = await queryRows<{ status: string }>(sql`select status from accounts where id = ${foreign.id}`);
  expect(row).toEqual({ status: "active" });
});

test("200 lists accounts by status, 400 for an unknown one", async () => {
  const tenant = await createTestTenant();
  const active = await createTestAccount(tenant, "tiktok");
  const paused = await createTestAccount(tenant, "instagram", { status: "paused" });
  const ended = await createTestAccount(tenant, "threads");
  expect((await tenant.api.delete(`/accounts/${ended.id}`)).status).toBe(200);
  expect((await tenant.api.delete(`/accounts/${ended.id}`)).status).toBe(200);
  const ids = async (status: string) => (await listAccounts(tenant.api, status)).map(({ id }) => id);
  expect(await ids("active")).toEqual([active.id]);
  expect(await ids("paused")).toEqual([paused.id]);
  expect(await ids("disconnected")).toEqual([ended.id]);
  expect(await ids("all")).toEqual([active.id, paused.id, ended.id]);
  expect(await tenant.api.get("/accounts?status=gone")).toMatchObject({
    status: 400,
    body: { error_code: "invalid_status" },
  });
});

test("expired and used links say so, and begin nothing", async () => {
  const { api } = await createTestTenant();
  const { id, path } = await createLink(api, { redirect_url: "https://example.com/done" });
  const browser = createBrowser();
  await browser.connect(path, "tiktok", { accounts: ["used.up"] });
  const done = await browser.post(`${path}/done`, []);
  expect(done.text).toContain(`url=https://example.com/done?connect_link_id=${id}`);
  expect((await browser.get(path)).text).toContain("This link does not work any more.");
  expect((await browser.post(path, [["platform", "tiktok"]])).text).not.toContain('http-equiv="refresh"');
  expect((await api.get(`/accounts/connect-links/${id}`)).body.data).toMatchObject({ status: "used" });

  const late = await createLink(api, { expires_in: 60 });
  await queryRows(sql`update connect_links set expires_at = now() where id = ${late.id} returning id`);
  expect(await browser.get(late.path)).toMatchObject({ status: 410, text: expect.stringContaining("has expired") });
  expect(await browser.post(late.path, [["platform", "tiktok"]])).toMatchObject({ status: 410 });
  expect((await api.get(`/accounts/connect-links/${late.id}`)).body.data).toMatchObject({ status: "expired" });
  expect((await browser.get("/connect/short")).status).toBe(404);
  expect((await browser.get(`/connect/${"x".repeat(43)}`)).status).toBe(404);
});

test("400 for what is no handle, DID or server, never 500", async () => {
  const { api } = await createTestTenant();
  const { path } = await createLink(api);
  const browser = createBrowser();
  // The documents of hosts are read where the directory is not the fake's.
  const documented = createBrowser({ BLUESKY_API_URL: "https://bsky.social" });
  for (const name of [
    ...["did:web:%", "did:web:%zz", "did:web:%2F%2F", "did:web:a%2Fb", "did:web:user%40host.com", "did:web:a%3Ab%3Ac"],
    ...[
      "did:web:%00",
      "did:web:.",
      "did:web:..",
      "did:web:a..b",
      "did:web:-",
      "did:plc:%",
      "did:key:x",
      "%",
      "@",
      "https://",
      "http:/%",
    ],
  ]) {
    for (const visitor of [browser, documented]) {
      const page = await visitor.post(path, [
        ["platform", "bluesky"],
        ["identifier", name],
      ]);
      expect([name, page.status < 500]).toEqual([name, true]);
    }
  }
  expect(await listAccounts(api)).toEqual([]);
});

test("a link offers its own networks only, and stops after fifty starts", async () => {
  const { api } = await createTestTenant();
  const { id, path } = await createLink(api, { platforms: ["threads"] });
  const browser = createBrowser();
  expect(await browser.post(path, [["platform", "tiktok"]])).toMatchObject({ status: 400 });
  await queryRows(sql`update connect_links set starts = 50 where id = ${id} returning id`);
  expect(await browser.post(path, [["platform", "threads"]])).toMatchObject({ status: 429 });
});

test("cookies have the prefix __Host- over https", async () => {
  const { api } = await createTestTenant();
  const { path } = await createLink(api);
  const browser = createBrowser({ PUBLIC_URL: "https://api.test" });
  const page = await browser.request(path, {
    method: "POST",
    body: new URLSearchParams({ platform: "tiktok" }),
    headers: { origin: "https://api.test" },
  });
  expect(page.headers.get("set-cookie")).toMatch(
    /^__Host-connect_browser=[\w-]{43}; Max-Age=86400; Path=\/; HttpOnly; Secure; SameSite=Lax$/,
  );
});

test("403 for a form that another site sent; pages cannot be framed and run no script", async () => {
  const { api } = await createTestTenant();
  const { path } = await createLink(api);
  const browser = createBrowser();
  for (const origin of ["https://evil.example", "null"]) {
    expect((await browser.post(path, [["platform", "tiktok"]], { origin })).status).toBe(403);
    expect((await browser.post(`${path}/done`, [], { origin })).status).toBe(403);
  }
  const page = await browser.get(path);
  const policy = page.headers.get("content-security-policy") ?? "";
  expect(policy).toContain("default-src 'none'");
  expect(policy).toContain("frame-ancestors 'none'");
  expect(policy).toContain("form-action 'self'");
  expect(policy).not.toContain("unsafe");
  expect(page.text).not.toMatch(/<script|\son\w+=|style="/);
  expect(page.headers.get("cache-control")).toBe("no-store");
  await browser.start(path, "tiktok");
  expect(browser.cookies.get("connect_browser")).toMatch(/^[\w-]{43}$/);
  const css = await browser.get("/connect/style.css");
  expect(css.headers.get("content-type")).toContain("text/css");
});

test("tokens are stored encrypted, and a page escapes what others wrote", async () => {
  const { api } = await createTestTenant();
  const { path } = await createLink(api, { label: '<img src=x onerror="alert(1)">' });
  const browser = createBrowser();
  const page = await browser.get(path);
  expect(page.text).toContain("&lt;img src=x onerror=&quot;alert(1)&quot;&gt;");
  await browser.connect(path, "tiktok", { accounts: ["sealed"] });
  const [account] = await listAccounts(api);
  const [row] = await queryRows<Record<string, string>>(sql`select * from accounts where id = ${account?.id}`);
  expect(row?.access_token).toMatch(/^[0-9a-f]{8}\.[A-Za-z0-9+/=]+$/);
  expect(row?.refresh_token).toMatch(/^[0-9a-f]{8}\./);
  const stored = await queryRows(
    sql`select secrets, state_hash from connections where ${account?.id}::uuid = any(account_ids)`,
  );
  expect(JSON.stringify(stored)).not.toMatch(/granted-|codeVerifier|connect\//);
});

test("an account is disconnected although the network does not answer", async () => {
  const { api } = await createTestTenant();
  const { path } = await createLink(api);
  await createBrowser().connect(path, "twitter", { accounts: ["no_answer"] });
  const [account] = await listAccounts(api);
  await callControl("POST", "/_behave", { network: "twitter", times: 1, answer: "500", call: "oauth/revoke" });
  const { body } = await api.delete(`/accounts/${account?.id}`);
  expect(body.data).toMatchObject({ status: "disconnected", revoked: false });
  expect(await listAccounts(api, "disconnected")).toHaveLength(1);
});

test("a paused account that is connected again stays paused", async () => {
  const { api } = await createTestTenant();
  const { path } = await createLink(api);
  await createBrowser().connect(path, "threads", { accounts: ["on.hold"] });
  const [account] = await listAccounts(api);
  await queryRows(
    sql`update accounts set status = 'paused', status_reason = 'holiday' where id = ${account?.id} returning id`,
  );
  await createBrowser().connect(path, "threads", { accounts: ["on.hold"] });
  expect(await listAccounts(api)).toMatchObject([{ id: account?.id, status: "paused" }]);
});

test("links and consents that ended long ago are deleted", async () => {
  const { api } = await createTestTenant();
  const [old, recent] = [await createLink(api), await createLink(api)];
  await createBrowser().start(recent.path, "tiktok");
  await queryRows(
    sql`update connect_links set expires_at = now() - interval '31 days' where id = ${old.id} returning id`,
  );
  await queryRows(
    sql`update connections set expires_at = now() - interval '25 hours' where link_id = ${recent.id} returning id`,
  );
  await cleanUpConnections(createTestPublisher(new Date()).services);
  expect((await api.get(`/accounts/connect-links/${old.id}`)).status).toBe(404);
  expect((await api.get(`/accounts/connect-links/${recent.id}`)).status).toBe(200);
  expect(await queryRows(sql`select 1 from connections where link_id = ${recent.id}`)).toEqual([]);
});
