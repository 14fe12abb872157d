// `at_risk` of a scheduled post: what is in its way, before it is due.
import { sql } from "drizzle-orm";
import { expect, test } from "vitest";
import { HOUR_MS } from "../../lib/shared/durations.ts";
import { createTestAccount, createTestTenant, type Tenant } from "../support/harness.ts";
import { createPostOf, inHours, updateAccount } from "./post-requests.ts";

const schedule = (tenant: Tenant, id: string, hours = 1) =>
  createPostOf(tenant, { caption: "hello", accounts: [{ id }], scheduled_at: inHours(hours) });

const readRisk = async (tenant: Tenant, id: string) =>
  (await tenant.api.get(`/posts/${id}`)).body.data.accounts.states[0].at_risk;

test("200 at_risk names a paused and a disconnected account, also in lists, and is null once that is fixed", async () => {
  const tenant = await createTestTenant();
  const account = await createTestAccount(tenant, "threads");
  const id = await schedule(tenant, account.id);
  expect(await readRisk(tenant, id)).toBeNull();
  await updateAccount(account.id, sql`status = 'paused'`);
  expect(await readRisk(tenant, id)).toMatchObject({
    code: "account_paused",
    reason: expect.stringContaining("Resume it before 20"),
  });
  await updateAccount(account.id, sql`status = 'disconnected', status_reason = 'The token was revoked.'`);
  const listed = (await tenant.api.get("/posts?status=scheduled")).body.data.posts[0];
  expect(listed.accounts.states[0].at_risk).toEqual({
    code: "account_disconnected",
    reason: expect.stringMatching(/is disconnected \(The token was revoked\.\)\. Connect it again before 20/),
  });
  await updateAccount(account.id, sql`status = 'active', status_reason = null`);
  expect(await readRisk(tenant, id)).toBeNull();
});

test("200 at_risk names a connection that ends before the post is due, not one that ends later", async () => {
  const tenant = await createTestTenant();
  const account = await createTestAccount(tenant, "linkedin", { tokenExpiresAt: new Date(Date.now() + 2 * HOUR_MS) });
  await updateAccount(account.id, sql`refresh_token = null`);
  const [before, after] = [await schedule(tenant, account.id), await schedule(tenant, account.id, 3)];
  expect(await readRisk(tenant, before)).toBeNull();
  expect(await readRisk(tenant, after)).toMatchObject({ code: "reconnect_before" });
});

test("200 at_risk is null for a post that is due, which its state and error describe", async () => {
  const tenant = await createTestTenant();
  const account = await createTestAccount(tenant, "threads");
  const response = await tenant.api.post("/posts", { caption: "now", accounts: [{ id: account.id }] });
  await updateAccount(account.id, sql`status = 'paused'`);
  expect(await readRisk(tenant, response.body.data.id)).toBeNull();
});
