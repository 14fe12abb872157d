// Signing in by the code of a mail: who may, in which browser, how often, and what it shows to others.
import { sql } from "drizzle-orm";
import { v7 as newId } from "uuid";
import { expect, test } from "vitest";
import { TENANT_COMMANDS } from "../../functions/commands/admin-tenants.ts";
import { createTestTenant, openTestDatabase, queryRows, type Tenant } from "../support/harness.ts";
import { stopClock } from "../support/stop-clock.ts";
import { type Browser, createBrowser, readMail, signInOwner } from "./dashboard.ts";

const findEmail = async (tenant: Tenant) =>
  (await queryRows<{ email: string }>(sql`select email from owners where id = ${tenant.ownerId}`))[0]?.email ?? "";

const askForCode = (browser: Browser, email: string, headers = {}) =>
  browser.visit("/auth/email-otp/send-verification-otp", { json: { email, type: "sign-in" }, headers });

const readCodeOf = async (email: string) => (await readMail(email))?.text.match(/\d{6}/)?.[0] ?? "";

const tryCode = (browser: Browser, email: string, otp: unknown) =>
  browser.visit("/auth/sign-in/email-otp", { json: { email, otp } });

const isSignedIn = async (browser: Browser) => (await browser.visit("/dashboard/passkeys")).status === 200;

async function setUp() {
  const email = await findEmail(await createTestTenant());
  const browser = createBrowser();
  expect((await askForCode(browser, email)).status).toBe(200);
  return { email, browser, code: await readCodeOf(email) };
}

const toWrong = (code: string) => (code === "000000" ? "000001" : "000000");

test("a person signs in with the code of the mail, sees the queue, and is signed out again", async () => {
  const tenant = await createTestTenant();
  const browser = await signInOwner(tenant);
  const start = await browser.visit("/dashboard");
  expect([start.status, start.headers.get("location")]).toEqual([302, `/dashboard/${tenant.workspaceId}/queue`]);
  const queue = await browser.visit(`/dashboard/${tenant.workspaceId}/queue`);
  expect(queue.status).toBe(200);
  expect(queue.text).toContain("No posts yet");
  expect(queue.headers.get("content-security-policy")).toMatch(/script-src 'self'; style-src 'self';/);
  expect((await browser.visit("/auth/sign-out", { json: {} })).status).toBe(200);
  expect((await browser.visit("/dashboard")).headers.get("location")).toMatch(/^\/dashboard\/sign-in/);
});

test("the link of the operator's command signs the owner in once, in any browser", async () => {
  const tenant = await createTestTenant();
  const email = await findEmail(tenant);
  const create = () =>
    TENANT_COMMANDS["sign-in link"]?.(openTestDatabase(), { "owner-email": email, url: "https://pr-1.example.com/" });
  const [replaced = "", link = ""] = [await create(), await create()];
  const [address, code] = link.split("#");
  expect([address, code]).toEqual([
    `https://pr-1.example.com/dashboard/sign-in?email=${encodeURIComponent(email)}`,
    expect.stringMatching(/^\d{40}$/),
  ]);
  expect((await tryCode(createBrowser(), email, replaced.split("#")[1])).status).toBe(400);
  const browser = createBrowser();
  expect((await tryCode(browser, email, code)).status).toBe(200);
  expect(await isSignedIn(browser)).toBe(true);
  expect((await tryCode(createBrowser(), email, code)).status).toBe(400);
});

test("400 for a wrong code and for one that was used", async () => {
  const { email, browser, code } = await setUp();
  expect((await tryCode(browser, email, toWrong(code))).status).toBe(400);
  expect(await isSignedIn(browser)).toBe(false);
  expect((await tryCode(browser, email, code)).status).toBe(200);
  expect((await tryCode(createBrowser(), email, code)).status).toBe(400);
});

test.each([
  [" 123456"],
  ["123 456"],
  ["123-456"],
  ["123–456"],
  ["123\u00a0456\n"],
  ["\u200b123456\u2060"],
  ["\ufeff1\u20092\u200e3456"],
  ["１２３４５６"],
  ["١٢٣٤٥٦"],
  ["१२३४५६"],
  ["𝟏𝟐𝟑𝟜𝟝𝟞"],
  [123456],
])("a code that is written as %j is the code", async (written) => {
  const { email, browser } = await setUp();
  // SHA-256 in Base64url, as better-auth stores it.
  const hash = Buffer.from(await crypto.subtle.digest("SHA-256", Buffer.from("123456"))).toString("base64url");
  await queryRows(
    sql`update verifications set value = ${`${hash}:0`} where identifier = ${`sign-in-otp-${email}`} returning id`,
  );
  expect((await tryCode(browser, email, written)).status).toBe(200);
});

test.each([["12345"], ["1234567"], ["code 123456"], ["12345a"], [""], [{}], [null], [[1, 2, 3, 4, 5, 6]]])(
  "400 for %j, which is no code",
  async (written) => {
    const { email, browser } = await setUp();
    expect((await tryCode(browser, email, written)).status).toBe(400);
    expect(await isSignedIn(browser)).toBe(false);
  },
);

test("the link of the mail signs in by itself only in the browser that asked, and for the address that it asked for", async () => {
  const { email, browser } = await setUp();
  const open = async (visitor: Browser, address: string) => {
    const page = await visitor.visit(`/dashboard/sign-in?email=${encodeURIComponent(address)}&next=/dashboard`);
    return page.text.includes('data-own-request="true"');
  };
  expect(await open(browser, email)).toBe(true);
  expect(await open(browser, email.toUpperCase())).toBe(true);
  const attacker = await setUp();
  expect(await open(browser, attacker.email)).toBe(false);
  expect(await open(createBrowser(), email)).toBe(false);
  const forged = createBrowser();
  for (const value of [`${"x".repeat(22)}.${Date.now()}.${"0".repeat(64)}.`, "x", "%", "..."]) {
    forged.cookies.set("sign_in_browser", value);
    expect(await open(forged, email)).toBe(false);
  }
  // The cookie of another browser's request for another address proves nothing for this one.
  forged.cookies.set("sign_in_browser", attacker.browser.cookies.get("sign_in_browser") ?? "");
  expect(await open(forged, email)).toBe(false);
  expect(await open(forged, attacker.email)).toBe(true);
});

test("wrong codes of others use up nothing of the browser that asked: 3 there, 30 an hour in all others", async () => {
  stopClock();
  const { email, browser, code } = await setUp();
  const statuses: number[] = [];
  for (let count = 0; count < 32; count++) statuses.push((await tryCode(createBrowser(), email, toWrong(code))).status);
  expect(statuses).toEqual([...Array(30).fill(400), 429, 429]);
  expect((await tryCode(browser, email, toWrong(code))).status).toBe(400);
  expect((await tryCode(browser, email, code)).status).toBe(200);
});

test("a fourth code in the browser that asked is not tried; a new request has attempts of its own", async () => {
  const { email, browser, code } = await setUp();
  for (let count = 0; count < 3; count++) expect((await tryCode(browser, email, toWrong(code))).status).toBe(400);
  expect((await tryCode(browser, email, code)).status).toBe(400);
  expect(await isSignedIn(browser)).toBe(false);
  await askForCode(browser, email);
  expect((await tryCode(browser, email, await readCodeOf(email))).status).toBe(200);
});

test("requests for codes by others leave those of a browser in which the person has signed in before", async () => {
  const { email, browser, code } = await setUp();
  expect((await tryCode(browser, email, code)).status).toBe(200);
  await browser.visit("/auth/sign-out", { json: {} });
  const askTwentyTimes = async (address: string) =>
    (await Promise.all(Array.from({ length: 20 }, () => askForCode(createBrowser(), address)))).map(
      ({ status }) => status,
    );
  expect((await askTwentyTimes(email)).sort()).toEqual([...Array(19).fill(200), 429]);
  expect((await askForCode(browser, email)).status).toBe(200);
  expect((await tryCode(browser, email, await readCodeOf(email))).status).toBe(200);
  // That browser proves nothing for another person.
  const other = await setUp();
  await askTwentyTimes(other.email);
  expect((await askForCode(browser, other.email)).status).toBe(429);
});

test("no status, body or amount of work shows whether an address has an account", async () => {
  const { email: known } = await setUp();
  const seen = async (email: string) => {
    const browser = createBrowser();
    const asked = await askForCode(browser, email);
    const answers = [`${asked.status} ${asked.text}`];
    for (let count = 0; count < 5; count++) {
      const { status, text } = await tryCode(browser, email, "999999");
      answers.push(`${status} ${text}`);
    }
    const stranger = await tryCode(createBrowser(), email, "999999");
    const stored = await queryRows<{ value: string }>(
      sql`select value from verifications where identifier = ${`sign-in-otp-${email}`}`,
    );
    // Without the hash: how often it was tried, and that there is one.
    return {
      answers: [...answers, `${stranger.status} ${stranger.text}`],
      stored: stored.map(({ value }) => value.length),
    };
  };
  const unknown = `${newId()}@example.com`;
  const [ofKnown, ofUnknown] = [await seen(known), await seen(unknown)];
  expect(ofUnknown).toEqual(ofKnown);
  expect(new Set(ofKnown.answers.slice(1)).size).toBe(1);
  expect(await readMail(unknown)).toBeUndefined();
  expect(await queryRows(sql`select id from owners where email = ${unknown}`)).toEqual([]);
});

test("a repeated request id sends every code", async () => {
  const { email, browser } = await setUp();
  const codes = new Set<string>();
  for (let count = 0; count < 3; count++) {
    expect((await askForCode(browser, email, { "X-Request-Id": "same" })).status).toBe(200);
    codes.add(await readCodeOf(email));
  }
  expect(codes.size).toBeGreaterThan(1);
});
