// Where a person is signed in, the cookies and headers of the pages, their error pages, and what the log says of them.
import { sql } from "drizzle-orm";
import { expect, test, vi } from "vitest";
import worker from "../../functions/index.ts";
import { describeBrowser } from "../../functions/workspace/describe-browser.ts";
import { createBindings, createTestTenant, queryRows, type Tenant } from "../support/harness.ts";
import { createBrowser, readMail, signIn, signInOwner } from "./dashboard.ts";

const findEmail = async ({ ownerId }: Tenant) =>
  (await queryRows<{ email: string }>(sql`select email from owners where id = ${ownerId}`))[0]?.email ?? "";

const listEnds = (text: string) =>
  [...text.matchAll(/action="([^"]+sign-ins\/[0-9a-f-]{36}\/end)"/g)].map(([, path = ""]) => path);

test("a person sees where they are signed in, ends one sign-in, then all", async () => {
  const tenant = await createTestTenant();
  const email = await findEmail(tenant);
  const [here, phone, tablet] = [await signIn(email), await signIn(email), await signIn(email)];
  await queryRows(sql`update sessions set ip_address = '203.0.113.9',
    user_agent = 'Mozilla/5.0 (Windows NT 10.0; rv:140.0) Gecko/20100101 Firefox/140.0' where user_id = ${tenant.ownerId} returning id`);
  const page = await here.visit("/dashboard/passkeys");
  expect(page.text.match(/Firefox on Windows/g)).toHaveLength(3);
  expect(page.text.match(/class="badge">this browser/g)).toHaveLength(1);
  expect(page.text).toContain("from 203.0.113.9");
  const [first = "", second = ""] = listEnds(page.text);
  expect(listEnds(page.text)).toHaveLength(2);

  const stranger = await signInOwner(await createTestTenant());
  expect((await stranger.visit(first, { form: {} })).status).toBe(404);
  expect((await here.visit(first, { form: {}, origin: "https://evil.example" })).status).toBe(403);
  expect((await createBrowser().visit(first, { form: {} })).status).toBe(403);
  expect((await here.visit(first, { form: {} })).status).toBe(303);
  expect((await here.visit(first, { form: {} })).status).toBe(404);
  expect((await here.visit("/dashboard/passkeys/sign-ins/x/end", { form: {} })).status).toBe(404);
  const open = async () => {
    const pages = await Promise.all([here, phone, tablet].map((browser) => browser.visit("/dashboard/passkeys")));
    return pages.filter(({ status }) => status === 200).length;
  };
  expect([second === first, await open()]).toEqual([false, 2]);

  const out = await here.visit("/dashboard/passkeys/sign-ins/end", { form: {} });
  expect([out.status, out.headers.get("location")]).toEqual([303, "/dashboard/sign-in"]);
  expect(await open()).toBe(0);
  expect((await stranger.visit("/dashboard/passkeys")).status).toBe(200);
});

test.each([
  [
    "Mozilla/5.0 (iPhone; CPU iPhone OS 19_0 like Mac OS X) AppleWebKit/605.1.15 Version/19.0 Mobile/15E148 Safari/604.1",
    "Safari on iPhone",
  ],
  [
    "Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 Version/19.0 Safari/605.1.15",
    "Safari on Mac",
  ],
  ["Mozilla/5.0 (Linux; Android 15; K) AppleWebKit/537.36 Chrome/140.0.0.0 Mobile Safari/537.36", "Chrome on Android"],
  [
    "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 Chrome/140.0.0.0 Safari/537.36 Edg/140.0.0.0",
    "Edge on Windows",
  ],
  ["Mozilla/5.0 (X11; CrOS x86_64 14541.0.0) AppleWebKit/537.36 Chrome/140.0.0.0 Safari/537.36", "Chrome on ChromeOS"],
  ["Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0", "Firefox on Linux"],
  ["curl/8.5.0", "A browser"],
  ["", "A browser"],
  [null, "A browser"],
])("%.60s is %s", (userAgent, expected) => expect(describeBrowser(userAgent)).toBe(expected));

test("over https every cookie of the pages is __Host-, over http none is", async () => {
  const email = await findEmail(await createTestTenant());
  for (const [host, prefix] of [
    ["https://dashboard.test", "__Host-"],
    ["http://dashboard.test", ""],
  ] as const) {
    const browser = createBrowser(host);
    const asked = await browser.visit("/auth/email-otp/send-verification-otp", { json: { email, type: "sign-in" } });
    const otp = (await readMail(email))?.text.match(/\d{6}/)?.[0];
    const done = await browser.visit("/auth/sign-in/email-otp", { json: { email, otp } });
    const challenge = await browser.visit("/auth/passkey/generate-register-options");
    const cookies = [asked, done, challenge].flatMap(({ headers }) => headers.getSetCookie());
    expect(new Set(cookies.map((cookie) => cookie.split("=")[0]))).toEqual(
      new Set(
        ["sign_in_browser", "workspace.session_token", "workspace.better-auth-passkey"].map((name) => prefix + name),
      ),
    );
    for (const cookie of cookies) {
      expect(cookie).toMatch(/; Path=\/(;|$)/);
      expect(cookie).toMatch(/; HttpOnly/);
      expect(cookie).not.toMatch(/; Domain=/i);
      expect(/; Secure/.test(cookie)).toBe(prefix !== "");
    }
    expect((await browser.visit("/dashboard/passkeys")).status).toBe(200);
  }
});

test("pages deny what they do not need of a browser", async () => {
  const owner = await signInOwner(await createTestTenant());
  for (const path of ["/dashboard/sign-in", "/dashboard/passkeys", "/dashboard/nothing", "/connect/x"]) {
    const policy = (await owner.visit(path)).headers.get("permissions-policy") ?? "";
    for (const feature of ["camera", "microphone", "geolocation", "payment", "usb"])
      expect(policy).toContain(`${feature}=()`);
    expect(policy).toContain("publickey-credentials-get=(self)");
  }
});

test("a slash at the end is no other address", async () => {
  const tenant = await createTestTenant();
  const owner = await signInOwner(tenant);
  const base = `/dashboard/${tenant.workspaceId}`;
  for (const path of [
    "/dashboard",
    "/dashboard/passkeys",
    base,
    `${base}/queue`,
    `${base}/members`,
    "/dashboard/sign-in",
  ]) {
    const [with_, without] = [await owner.visit(`${path}/`), await owner.visit(path)];
    expect([path, with_.status, with_.headers.get("location")]).toEqual([
      path,
      without.status,
      without.headers.get("location"),
    ]);
    expect(with_.status).toBeLessThan(400);
  }
  expect((await createBrowser().visit("/dashboard/")).headers.get("location")).toMatch(/^\/dashboard\/sign-in/);
});

/** A request through the Worker in front of the pages. */
async function visitWorker(path: string, WORKSPACE: unknown, method = "GET") {
  const context = { waitUntil() {}, passThroughOnException() {} } as unknown as ExecutionContext;
  const request = new Request(`http://api.test${path}`, { method });
  const response = await worker.fetch(request, { ...createBindings([]), WORKSPACE }, context);
  return { status: response.status, text: await response.text(), type: response.headers.get("content-type") };
}

test("addresses with a slash reach the pages, and a person gets a page when these cannot answer", async () => {
  const seen: string[] = [];
  const pages = {
    async fetch({ url }: Request) {
      seen.push(new URL(url).pathname);
      return new Response("page");
    },
  };
  for (const path of ["/dashboard/", `/approve/${"x".repeat(43)}/`, `/connect/${"x".repeat(43)}/`]) {
    expect((await visitWorker(path, pages)).status).toBe(200);
  }
  expect(seen).toHaveLength(3);
  const failing = { fetch: () => Promise.reject(new Error("The Worker is being replaced.")) };
  for (const [binding, status] of [
    [undefined, 503],
    [failing, 500],
  ] as const) {
    const page = await visitWorker("/dashboard", binding);
    expect([page.status, page.type]).toEqual([status, "text/html; charset=UTF-8"]);
    expect(page.text).toContain("Try again in a minute.");
    expect(page.text).not.toMatch(/being replaced|WORKSPACE|undefined|\{/);
  }
});

test("404, 405 and 500 answer a person in plain words, and 500 shows nothing of its cause", async () => {
  const tenant = await createTestTenant();
  const owner = await signInOwner(tenant);
  const missing = await owner.visit("/dashboard/nothing/at/all");
  expect([missing.status, missing.text.includes("There is no page at this address.")]).toEqual([404, true]);
  const wrong = await owner.visit("/dashboard/passkeys", { method: "DELETE" });
  expect([wrong.status, wrong.text.includes("Open this page from the dashboard.")]).toEqual([405, true]);
  for (const [env, status] of [
    [{ DATABASE_FETCH_URL: "http://127.0.0.1:1/sql" }, 503],
    [{ SESSION_SECRET: undefined }, 500],
    [{ SESSION_SECRET: "short" }, 500],
  ] as const) {
    const browser = createBrowser(undefined, env);
    browser.cookies.set("workspace.session_token", owner.cookies.get("workspace.session_token") ?? "");
    const page = await browser.visit(`/dashboard/${tenant.workspaceId}/queue`, {
      headers: { "X-Request-Id": "one.two" },
    });
    expect(page.status).toBe(status);
    const text = page.text.replaceAll(/<[^>]+>/g, " ");
    expect(text).toMatch(/Try again in a minute\. If it happens again, send this number .*one\.two/s);
    expect(text).not.toMatch(/127\.0\.0\.1|SESSION_SECRET|select|Error|at \//);
  }
});

test("a line of the log names a few short ids, whatever the address is", async () => {
  const log = vi.spyOn(console, "log").mockImplementation(() => undefined);
  await createBrowser().visit(
    `/dashboard/${"x".repeat(10_000)}/posts/${"y".repeat(10_000)}/approvals/${"z".repeat(10_000)}/withdraw`,
    { form: {} },
  );
  await createBrowser().visit(`/${"w".repeat(10_000)}`);
  const lines = log.mock.calls.map(([line]) => String(line));
  log.mockRestore();
  expect(lines.length).toBeGreaterThan(1);
  for (const line of lines) expect(line.length).toBeLessThan(1_000);
});
