// Mails to people: what failed and is theirs to do, what ends soon; once each, as often as they choose.
import { sql } from "drizzle-orm";
import { v7 as newId } from "uuid";
import { expect, test, vi } from "vitest";
import worker from "../../functions/workspace/worker.ts";
import { collectReconnects } from "../../lib/notifications/collect.ts";
import { findLastSlot, sendNotifications } from "../../lib/notifications/send.ts";
import { publishDue } from "../../lib/publishing/publish-due.ts";
import { DAY_MS } from "../../lib/shared/durations.ts";
import { CRON_PATH } from "../../lib/shared/paths.ts";
import {
  callControl,
  createBindings,
  createTestAccount,
  createTestPublisher,
  createTestTenant,
  openTestDatabase,
  queryRows,
  type Tenant,
  vars,
} from "../support/harness.ts";
import { createBrowser, ORIGIN, signInMember, signInOwner } from "./dashboard.ts";

interface Mail {
  to: string[];
  subject: string;
  text: string;
  headers?: Record<string, string>;
}

async function listMails(email: string): Promise<Mail[]> {
  const mails: Mail[] = await (await fetch(`${vars.MAIL_API_URL}/_mails`)).json();
  return mails.filter(({ to, subject }) => to.includes(email) && !subject.includes("sign-in code"));
}

async function runCron(change: Record<string, unknown> = {}): Promise<number> {
  const context = { waitUntil() {}, passThroughOnException() {} } as unknown as ExecutionContext;
  const env = { ...createBindings([], []), PUBLIC_URL: ORIGIN, ...change };
  return (await worker.fetch(new Request(`http://workspace${CRON_PATH}`, { method: "POST" }), env, context)).status;
}

/** A post that the network refuses for good. */
async function failPost(tenant: Tenant, caption: string): Promise<string> {
  const account = await createTestAccount(tenant, "bluesky");
  await callControl("POST", "/_behave", {
    ...{ network: "bluesky", account: account.externalId, answer: "refuse", code: "InvalidRequest", times: 20 },
  });
  const created = await tenant.api.post(
    "/posts",
    { caption, accounts: [{ id: account.id }] },
    { "Idempotency-Key": newId() },
  );
  const [delivery] = await queryRows<{ id: string }>(
    sql`select id from post_deliveries where post_id = ${created.body.data.id}`,
  );
  await publishDue(createTestPublisher(new Date(Date.now() + 1000)).services, [delivery?.id ?? ""]);
  const post = (await tenant.api.get(`/posts/${created.body.data.id}`)).body.data;
  expect(post.status).toBe("failed");
  return post.id;
}

async function choose(
  browser: { visit: ReturnType<typeof createBrowser>["visit"] },
  tenant: Tenant,
  frequency: string,
) {
  const saved = await browser.visit(`/dashboard/${tenant.workspaceId}/notifications`, { form: { frequency } });
  expect(saved.status).toBe(303);
}

/** As if the time had passed. */
const makeOlder = (personId: string, ms: number) =>
  openTestDatabase().execute(
    sql`update notifications set created_at = created_at - ${ms} * interval '1 millisecond' where person_id = ${personId}`,
  );

test("at once: one mail about what failed, to those who may retry it, and never a second one", async () => {
  const tenant = await createTestTenant();
  const [editor, viewer] = [await signInMember(tenant, "editor"), await signInMember(tenant, "viewer")];
  for (const person of [editor, viewer]) await choose(person, tenant, "at_once");
  const first = await failPost(tenant, "The first");
  const second = await failPost(tenant, "The second");
  expect(await runCron()).toBe(204);
  const [mail, ...others] = await listMails(editor.email);
  expect(others).toEqual([]);
  expect(mail?.subject).toBe("2 posts failed");
  expect(mail?.text).toMatch(/Bluesky user\d+: “The first” failed\. .+/);
  for (const id of [first, second])
    expect(mail?.text).toContain(`${ORIGIN}/dashboard/${tenant.workspaceId}/posts/${id}`);
  expect(await listMails(viewer.email)).toEqual([]);
  await Promise.all([runCron(), runCron(), runCron()]);
  expect(await listMails(editor.email)).toHaveLength(1);
});

test.each([
  ["workspace", "America/New_York"],
  ["personal", "Europe/Berlin"],
] as const)("the times in a mail are those of the clock of the %s scope, with its zone", async (kind, time_zone) => {
  const tenant = await createTestTenant({ personal: kind === "personal" });
  const scope = { ...tenant, workspaceId: tenant.workspaceId ?? tenant.ownerId };
  await choose(await signInOwner(tenant), scope, "at_once");
  await tenant.api.patch("/workspace", { time_zone });
  const id = await failPost(tenant, "Times");
  await openTestDatabase().execute(sql`update post_deliveries set status = 'failed',
    error_message = 'Retry the post after 2027-07-01T06:30:00.000Z, or on 2031-11-02T06:30:00.000Z.' where post_id = ${id}`);
  await runCron();
  const [{ email = "" } = {}] = await queryRows<{ email: string }>(
    sql`select email from owners where id = ${tenant.ownerId}`,
  );
  const [mail] = await listMails(email);
  expect(mail?.text).toContain(
    kind === "workspace"
      ? "after 1 Jul 2027, 02:30 (America/New_York), or on 2 Nov 2031, 01:30 (America/New_York, the second of two)."
      : "after 1 Jul 2027, 08:30 (Europe/Berlin), or on 2 Nov 2031, 07:30 (Europe/Berlin).",
  );
});

test("a post that fails again after a retry is another message", async () => {
  const tenant = await createTestTenant();
  const editor = await signInMember(tenant, "editor");
  await choose(editor, tenant, "at_once");
  const id = await failPost(tenant, "Once more");
  await runCron();
  expect((await tenant.api.post("/posts/retry", { post_ids: [id] })).status).toBe(200);
  await runCron();
  expect(await listMails(editor.email)).toHaveLength(1);
  const [delivery] = await queryRows<{ id: string }>(sql`select id from post_deliveries where post_id = ${id}`);
  await publishDue(createTestPublisher(new Date(Date.now() + 2000)).services, [delivery?.id ?? ""]);
  await runCron();
  expect(await listMails(editor.email)).toHaveLength(2);
});

test("once a day by default, at eight of the person's time zone, without what was settled meanwhile", async () => {
  const tenant = await createTestTenant();
  const editor = await signInMember(tenant, "editor");
  const kept = await failPost(tenant, "Still failed");
  const settled = await failPost(tenant, "Retried since");
  await runCron();
  expect(await listMails(editor.email)).toEqual([]);
  await tenant.api.post("/posts/retry", { post_ids: [settled] });
  await makeOlder(editor.id, DAY_MS);
  await Promise.all([runCron(), runCron()]);
  const mails = await listMails(editor.email);
  expect(mails.map(({ subject }) => subject)).toEqual(["A post failed"]);
  expect(mails[0]?.text).toContain(kept);
  expect(mails[0]?.text).not.toContain("Retried since");
});

test("eight in the morning of a zone", () => {
  const at = (now: string, zone: string) => findLastSlot(new Date(now), zone).toISOString();
  expect(at("2026-11-24T08:30:00Z", "UTC")).toBe("2026-11-24T08:00:00.000Z");
  expect(at("2026-11-24T07:59:00Z", "UTC")).toBe("2026-11-23T08:00:00.000Z");
  expect(at("2026-11-24T07:30:00Z", "Europe/Oslo")).toBe("2026-11-24T07:00:00.000Z");
  expect(at("2026-11-24T07:30:00Z", "America/Los_Angeles")).toBe("2026-11-23T16:00:00.000Z");
});

test("a mail that the service did not accept is sent later; one whose answer was lost is not sent twice", async () => {
  const tenant = await createTestTenant();
  const editor = await signInMember(tenant, "editor");
  await choose(editor, tenant, "at_once");
  await failPost(tenant, "Later");
  expect(await runCron({ MAIL_API_URL: "http://127.0.0.1:9" })).toBe(204);
  expect(await listMails(editor.email)).toEqual([]);
  const endLease = () =>
    openTestDatabase().execute(
      sql`update notifications set lease_until = now() - interval '1 second' where person_id = ${editor.id}`,
    );
  await runCron();
  expect(await listMails(editor.email)).toEqual([]);
  await endLease();
  await runCron();
  expect(await listMails(editor.email)).toHaveLength(1);
  // As if the run had ended between sending and marking.
  await openTestDatabase().execute(sql`update notifications set sent_at = null where person_id = ${editor.id}`);
  await endLease();
  await runCron();
  expect(await listMails(editor.email)).toHaveLength(1);
  const [row] = await queryRows<{ sent: boolean }>(
    sql`select sent_at is not null as sent from notifications where person_id = ${editor.id}`,
  );
  expect(row?.sent).toBe(true);
});

test("the link in the mail ends the mails, without signing in, and only when it is posted", async () => {
  const tenant = await createTestTenant();
  const editor = await signInMember(tenant, "editor");
  await choose(editor, tenant, "at_once");
  await failPost(tenant, "The last one");
  await runCron();
  const [mail] = await listMails(editor.email);
  const [, link = ""] = mail?.headers?.["List-Unsubscribe"]?.match(/^<(.+)>$/) ?? [];
  expect(mail?.text).toContain(link);
  expect(mail?.headers?.["List-Unsubscribe-Post"]).toBe("List-Unsubscribe=One-Click");
  const { pathname } = new URL(link);
  const guest = createBrowser();
  expect((await guest.visit(pathname)).status).toBe(200);
  const settings = `/dashboard/${tenant.workspaceId}/notifications`;
  expect((await editor.visit(settings)).text).toMatch(/value="at_once" checked/);
  const program = { form: { "List-Unsubscribe": "One-Click" }, origin: null };
  const forged = `${pathname.slice(0, -1)}${pathname.endsWith("0") ? "1" : "0"}`;
  expect((await guest.visit(forged, program)).status).toBe(404);
  expect((await guest.visit(pathname, program)).status).toBe(200);
  expect((await editor.visit(settings)).text).toMatch(/value="none" checked/);
  await failPost(tenant, "Without notice");
  await runCron();
  expect(await listMails(editor.email)).toHaveLength(1);
});

test("an account that ends within seven days, to those who may connect it, once for each end", async () => {
  const tenant = await createTestTenant();
  const owner = await signInOwner(tenant);
  const [{ email = "" } = {}] = await queryRows<{ email: string }>(
    sql`select email from owners where id = ${tenant.ownerId}`,
  );
  const editor = await signInMember(tenant, "editor");
  for (const person of [owner, editor]) await choose(person, tenant, "at_once");
  const soon = await createTestAccount(tenant, "linkedin");
  const later = await createTestAccount(tenant, "linkedin");
  const renewed = await createTestAccount(tenant, "instagram", { tokenExpiresAt: new Date(Date.now() + DAY_MS) });
  const endsIn = (id: string, days: number) =>
    openTestDatabase().execute(
      sql`update accounts set refresh_token_expires_at = now() + ${days} * interval '1 day' where id = ${id}`,
    );
  await endsIn(soon.id, 5);
  await endsIn(later.id, 30);
  const { services } = createTestPublisher(new Date());
  const hourly = async () => {
    await collectReconnects(services);
    await sendNotifications(services);
  };
  await hourly();
  await hourly();
  const mails = await listMails(email);
  expect(mails.map(({ subject }) => subject)).toEqual(["An account must be connected again"]);
  expect(mails[0]?.text).toContain(`LinkedIn ${soon.username}: the connection ends on`);
  for (const { username } of [later, renewed]) expect(mails[0]?.text).not.toContain(username);
  expect(await listMails(editor.email)).toEqual([]);
  await endsIn(soon.id, 6);
  await hourly();
  expect(await listMails(email)).toHaveLength(2);
});

test("an account is announced although more than a thousand others end before it, at the same instant", async () => {
  const [many, tenant] = [await createTestTenant(), await createTestTenant()];
  await choose(await signInOwner(many), many, "none");
  const accounts = [await createTestAccount(many, "linkedin"), await createTestAccount(tenant, "linkedin")];
  const [first, last] = accounts.map(({ id }) => id);
  await openTestDatabase().execute(sql`
    update accounts set refresh_token_expires_at = date_trunc('second', now()) + case id when ${first}::uuid
      then interval '2 days' else interval '3 days' end where id in (${first}, ${last})`);
  await openTestDatabase().execute(sql`
    insert into accounts (id, owner_id, workspace_id, platform, type, status, username, display_name, external_id,
      refresh_token, refresh_token_expires_at)
    select gen_random_uuid(), owner_id, workspace_id, platform, type, status, username, display_name, external_id || '.' || n,
      refresh_token, refresh_token_expires_at
    from accounts, generate_series(1, 2000) n where id = ${first}`);
  await collectReconnects(createTestPublisher(new Date()).services);
  const noted = await queryRows(sql`select kind from notifications where about_id = ${last}`);
  await openTestDatabase().execute(sql`delete from accounts where scope_id = ${many.workspaceId}`);
  expect(noted).toEqual([{ kind: "reconnect" }]);
});

test("nothing is done without a mail service, and only cron is answered", async () => {
  // Tokens that ended are deleted at minute 13, with mails or without.
  vi.useFakeTimers({ toFake: ["Date"], now: new Date().setUTCMinutes(20) });
  const fetched = vi.spyOn(globalThis, "fetch");
  expect(await runCron({ MAIL_API_KEY: undefined })).toBe(204);
  expect(fetched).not.toHaveBeenCalled();
  fetched.mockRestore();
  vi.useRealTimers();
  expect((await createBrowser().visit(CRON_PATH)).status).toBe(405);
});
