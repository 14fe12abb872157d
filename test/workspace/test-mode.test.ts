// Test mode in the dashboard: the switch, its line on every page, keys, the clock, and what stays with the live workspace.
import { sql } from "drizzle-orm";
import { expect, test } from "vitest";
import { PAGES } from "../../functions/workspace/pages.ts";
import { createClient, createTestAccount, createTestKey, createTestTenant, queryRows } from "../support/harness.ts";
import { createTestMode } from "../support/test-mode.ts";
import { signInOwner } from "./dashboard.ts";

const tenant = await createTestTenant();
const liveAccount = await createTestAccount(tenant, "bluesky");
const browser = await signInOwner(tenant);
const live = `/dashboard/${tenant.workspaceId}`;

async function openTestMode(): Promise<string> {
  const opened = await browser.visit(`${live}/test-mode/open`, { form: {} });
  expect(opened.status).toBe(303);
  return opened.headers.get("location")?.replace(/\/queue$/, "") ?? "";
}

test("the switch makes test mode once, and both modes lead to each other", async () => {
  expect((await browser.visit(`${live}/test-mode`)).text).toContain("Switch test mode on");
  const base = await openTestMode();
  expect(await openTestMode()).toBe(base);
  const queue = await browser.visit(`${base}/queue`);
  expect(queue.status).toBe(200);
  expect(queue.text).toContain("Nothing is published.");
  expect(queue.text).toContain(`href="${live}/queue"`);
  expect((await browser.visit(`${live}/queue`)).text).not.toContain("Nothing is published.");
  expect((await browser.visit(`${live}/test-mode`)).text).toContain(`href="${base}/queue"`);
});

test("every page of test mode says so, or is that of the live workspace", async () => {
  const base = await openTestMode();
  for (const { path, method } of PAGES) {
    if (method !== "GET" || path.includes(":") || /\.|events\/stream|frag|state/.test(path)) continue;
    const page = await browser.visit(`${base}${path}`);
    const isLive = ["/members", "/network-apps", "/notifications", "/usage"].some((start) => path.startsWith(start));
    if (isLive)
      expect([path, page.status, page.headers.get("location")]).toEqual([path, 302, expect.stringContaining(live)]);
    else if (page.status === 200 && page.text.includes("<main"))
      expect([path, page.text.includes("Nothing is published.")]).toEqual([path, true]);
  }
});

test("accounts of test mode are virtual, those of live mode are not shown", async () => {
  const base = await openTestMode();
  const accounts = await browser.visit(`${base}/accounts`);
  expect(accounts.text).toContain("sandbox.studio");
  expect(accounts.text).not.toContain(liveAccount.username);
  expect((await browser.visit(`${live}/accounts`)).text).not.toContain("sandbox.studio");
});

test("a key made there is one of test mode, and so is its successor", async () => {
  const base = await openTestMode();
  await browser.visit(`${base}/keys`, { form: { name: "CI", expires: "365", access: "all" } });
  const page = await browser.visit(`${base}/keys`);
  const token = /pk_test_[A-Za-z0-9]{16}\.[A-Za-z0-9_-]{43}/.exec(page.text)?.[0] ?? "";
  const { status, body } = await createClient(token).get("/accounts");
  expect([status, body.data.accounts.length]).toEqual([200, 12]);
  const [publicId = ""] = token.split(".");
  await browser.visit(`${base}/keys/${publicId}/rotate`, { form: {} });
  const rotated = /pk_test_[A-Za-z0-9]{16}\.[A-Za-z0-9_-]{43}/.exec((await browser.visit(`${base}/keys`)).text)?.[0];
  expect(rotated).toBeDefined();
  expect(rotated).not.toBe(token);
  expect((await browser.visit(`${live}/keys`)).text).not.toContain("pk_test_");
});

test("keys end by real time, however far the clock is ahead", async () => {
  const base = await openTestMode();
  await browser.visit(`${base}/test-mode/advance`, { form: { count: "300", unit: "days" } });
  await browser.visit(`${base}/keys`, { form: { name: "Short", expires: "30", access: "all" } });
  const token =
    /pk_test_[A-Za-z0-9]{16}\.[A-Za-z0-9_-]{43}/.exec((await browser.visit(`${base}/keys`)).text)?.[0] ?? "";
  const [publicId = ""] = token.split(".");
  const daysLeft = async () => {
    const [key] = await queryRows<{ days: number }>(
      sql`select round(extract(epoch from expires_at - now()) / 86400)::int as days from api_keys where public_id = ${publicId}`,
    );
    return key?.days;
  };
  expect(await daysLeft()).toBe(30);
  const record = (await browser.visit(`${base}/keys`)).text.split("<li").find((text) => text.includes(publicId));
  expect(record).toContain(">valid<");
  await browser.visit(`${base}/keys/${publicId}/rotate`, { form: {} });
  expect(await daysLeft()).toBe(1);
  await browser.visit(`${base}/test-mode/reset`, { form: {} });
});

test("the clock is moved, and what is due runs; emptying sets it back", async () => {
  const base = await openTestMode();
  const mode = await createTestMode(tenant);
  const { accounts } = (await mode.api.get("/accounts")).body.data;
  const account = accounts.find(({ platform }: { platform: string }) => platform === "threads");
  const scheduled_at = new Date(Date.now() + 2 * 3_600_000).toISOString();
  const post = await mode.api.post("/posts", { caption: "Tea", accounts: [{ id: account.id }], scheduled_at });
  await browser.visit(`${base}/test-mode/advance`, { form: { count: "3", unit: "hours" } });
  expect((await browser.visit(`${base}/test-mode`)).text).toContain("1 post and");
  expect((await mode.api.get(`/posts/${post.body.data.id}`)).body.data.status).toBe("posted");
  await browser.visit(`${base}/test-mode/advance`, { form: { count: "401", unit: "days" } });
  expect((await browser.visit(`${base}/test-mode`)).text).toContain("The clock moves by at most 400 days at once");
  const failed = await browser.visit(`${base}/test-mode/advance`, { form: { count: "0", unit: "hours" } });
  expect(failed.status).toBe(400);
  await browser.visit(`${base}/test-mode/reset`, { form: {} });
  expect((await browser.visit(`${base}/test-mode`)).text).toContain("Test mode is empty");
  expect((await mode.api.get("/posts")).body.data.summary.total).toBe(0);
});

test("the live workspace has no clock to move", async () => {
  await browser.visit(`${live}/test-mode/advance`, { form: { count: "3", unit: "hours" } });
  expect((await browser.visit(`${live}/test-mode`)).text).toContain("This operation is for test mode.");
});

test("404 for the test mode of a workspace that the person is no member of", async () => {
  const other = await createTestMode(await createTestTenant());
  expect((await browser.visit(`/dashboard/${other.scopeId}/queue`)).status).toBe(404);
});

test("a connect link of test mode connects nothing", async () => {
  const mode = await createTestMode(tenant);
  const { body } = await mode.api.post("/accounts/connect-links", {});
  const page = await browser.visit(new URL(body.data.url).pathname);
  expect([page.status, page.text.includes("Test mode has an account at every network already")]).toEqual([403, true]);
});

test("an approval link of test mode approves by its clock, and sends no mail", async () => {
  const mode = await createTestMode(tenant);
  const { accounts } = (await mode.api.get("/accounts")).body.data;
  const account = accounts.find(({ platform }: { platform: string }) => platform === "threads");
  const draft = await mode.api.post("/posts/prepare", { caption: "Tea", accounts: [{ id: account.id }] });
  const { body } = await mode.api.post(`/posts/${draft.body.data.id}/approvals`, {});
  const path = new URL(body.data.url).pathname;
  expect((await browser.visit(path)).text).toContain("Does this go out?");
  expect((await browser.visit(path, { form: { decision: "approve" } })).status).toBe(303);
  await mode.api.post("/sandbox/advance", { seconds: 60 });
  expect((await mode.api.get(`/posts/${draft.body.data.id}`)).body.data.status).toBe("posted");
});

test("a key of test mode has the plan of its workspace", async () => {
  const mode = await createTestMode(tenant);
  const token = await createTestKey({ ownerId: mode.ownerId, workspaceId: mode.scopeId }, { kind: "test" });
  expect((await createClient(token).get("/subscription")).body.data.subscription.tier).toBe("professional");
});
