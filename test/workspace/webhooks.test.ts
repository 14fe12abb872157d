// The pages of webhooks: forms, states, secrets that are shown once, and who may do what.
import { sql } from "drizzle-orm";
import { v7 as newId } from "uuid";
import { expect, test } from "vitest";
import { at } from "../../lib/shared/at.ts";
import { createTestTenant, queryRows, type Tenant } from "../support/harness.ts";
import {
  createSender,
  createTestWebhook,
  listDeliveries,
  listReceived,
  RECEIVER,
  send,
  verify,
  writeEvent,
} from "../webhooks/receiver.ts";
import { type Browser, signInMember, signInOwner } from "./dashboard.ts";

const findSecret = (text: string) => text.match(/whsec_[A-Za-z0-9+/]{43}=/)?.[0] ?? "";

async function setUp(): Promise<{ tenant: Tenant; browser: Browser; base: string }> {
  const tenant = await createTestTenant();
  return { tenant, browser: await signInOwner(tenant), base: `/dashboard/${tenant.workspaceId}/webhooks` };
}

const readWebhook = async ({ api }: Tenant, id: string) => (await api.get(`/webhooks/${id}`)).body.data;

test("the first webhook is added on the empty page, and its secret is shown once", async () => {
  const { tenant, browser, base } = await setUp();
  const empty = await browser.visit(base);
  expect(empty.text).toMatch(/<details class="card" open[^>]*><summary>Add a webhook/);
  const url = `${RECEIVER}/${newId()}`;
  const created = await browser.visit(base, { form: { url, scope: "all", description: " Orders & stock " } });
  expect(created.status).toBe(303);
  const path = created.headers.get("location") ?? "";
  const shown = await browser.visit(path);
  const secret = findSecret(shown.text);
  expect(shown.text).toContain(`data-copy="${secret}"`);
  expect(shown.text).toContain("it is not shown again");
  for (const page of [path, base]) expect(findSecret((await browser.visit(page)).text)).toBe("");
  const [webhook] = (await tenant.api.get("/webhooks")).body.data.webhooks;
  expect(webhook).toMatchObject({ url, types: ["*"], description: "Orders & stock", status: "enabled" });
  expect(path).toBe(`${base}/${webhook.id}`);
  const sent = { id: webhook.id, secret, path: new URL(url).pathname };
  await writeEvent(tenant);
  await send(createSender(), sent);
  expect((await listReceived(sent)).map((request) => verify(secret, request).type)).toEqual(["account.connected"]);
});

test("422 shows the form again with what was typed and what is wrong with it", async () => {
  const { tenant, browser, base } = await setUp();
  const form = new URLSearchParams([
    ["url", 'http://192.168.1.1/"><b>'],
    ["scope", "some"],
    ["types", "post.failed"],
    ["types", "file.verified"],
    ["description", "<i>Mine</i>"],
  ]);
  const rejected = await browser.visit(base, { form });
  expect(rejected.status).toBe(422);
  expect(rejected.text).toMatch(/role="alert"><p>Address: [^<]+not public/);
  expect(rejected.text).toContain("http://192.168.1.1/&quot;&gt;&lt;b&gt;");
  expect(rejected.text).toContain('value="&lt;i&gt;Mine&lt;/i&gt;"');
  const isChecked = (value: string) => new RegExp(`value="${value}"[^>]*checked`).test(rejected.text);
  expect(["some", "all", "post.failed", "file.verified", "post.published"].map(isChecked)).toEqual([
    ...[true, false, true, true, false],
  ]);
  const none = await browser.visit(base, { form: { url: `${RECEIVER}/a`, scope: "some" } });
  expect([none.status, none.text.includes("Events: Must have at least one type.")]).toEqual([422, true]);
  const unknown = await browser.visit(base, { form: { url: `${RECEIVER}/a`, scope: "some", types: "post.created" } });
  expect(unknown.status).toBe(422);
  expect((await browser.visit(base, { form: {} })).status).toBe(422);
  expect((await tenant.api.get("/webhooks")).body.data.webhooks).toEqual([]);
});

test("a webhook is changed, disabled, enabled and deleted", async () => {
  const { tenant, browser, base } = await setUp();
  const webhook = await createTestWebhook(tenant);
  const path = `${base}/${webhook.id}`;
  const form = { url: `${RECEIVER}/other`, scope: "some", types: "post.failed", description: "" };
  expect((await browser.visit(path, { form })).status).toBe(303);
  expect(await readWebhook(tenant, webhook.id)).toMatchObject({
    ...{ url: `${RECEIVER}/other`, types: ["post.failed"], description: null },
  });
  const rejected = await browser.visit(path, { form: { ...form, url: "nothing" } });
  expect([rejected.status, rejected.text.includes('value="nothing"')]).toEqual([422, true]);

  expect((await browser.visit(`${path}/disable`, { form: {} })).headers.get("location")).toBe(path);
  const disabled = await browser.visit(path);
  expect(disabled.text).toContain("by a person or an API key");
  expect(disabled.text).toContain(`action="${path}/enable"`);
  for (const action of ["test", "replay", "disable"]) expect(disabled.text).not.toContain(`action="${path}/${action}"`);
  for (const action of ["test", "replay"]) {
    await browser.visit(`${path}/${action}`, { form: { from: "all" } });
    const { text } = await browser.visit(path);
    expect(text).toContain("Enable it first.");
    expect(text).not.toMatch(/PATCH|\{"/);
  }
  await browser.visit(`${path}/enable`, { form: {} });
  expect((await readWebhook(tenant, webhook.id)).status).toBe("enabled");

  expect((await browser.visit(path)).text).toMatch(/data-confirm="Delete the webhook to [^"]+"/);
  expect((await browser.visit(`${path}/delete`, { form: {} })).headers.get("location")).toBe(base);
  expect((await browser.visit(path)).status).toBe(404);
  expect((await browser.visit(`${path}/delete`, { form: {} })).status).toBe(404);
});

test("a rotated secret is shown once, and both sign", async () => {
  const { tenant, browser, base } = await setUp();
  const webhook = await createTestWebhook(tenant);
  const path = `${base}/${webhook.id}`;
  expect((await browser.visit(path)).text).not.toContain(webhook.secret);
  expect((await browser.visit(`${path}/rotate-secret`, { form: {} })).status).toBe(303);
  const shown = await browser.visit(path);
  const secret = findSecret(shown.text);
  expect(secret).not.toBe(webhook.secret);
  expect(shown.text).toContain("The former one signs beside it for 24 hours.");
  expect(findSecret((await browser.visit(path)).text)).toBe("");
  await browser.visit(`${path}/test`, { form: {} });
  await send(createSender(), webhook);
  const request = at(await listReceived(webhook), 0);
  for (const one of [secret, webhook.secret]) expect(verify(one, request).type).toBe("webhook.test");
});

test("a webhook that failures disabled says so and since when; hostile addresses are text", async () => {
  const { tenant, browser, base } = await setUp();
  const webhook = await createTestWebhook(tenant);
  await queryRows(sql`update webhooks set disabled_at = '2026-11-20T10:00:00Z', disabled_reason = 'failures',
    failing_since = '2026-11-15T09:00:00Z', url = ${'https://a.example/"><script>alert(1)</script>'}
    where id = ${webhook.id} returning id`);
  for (const page of [base, `${base}/${webhook.id}`]) {
    const { text } = await browser.visit(page);
    expect(text).toMatch(/Disabled 20 Nov 2026, 10:00: every delivery failed for five days, since 15 Nov 2026, 09:00/);
    expect(text).toContain('class="badge failed">disabled');
    expect(text).toContain("https://a.example/&quot;&gt;&lt;script&gt;");
    expect(text).not.toMatch(/<script(?![^>]*src=)/);
  }
  await queryRows(
    sql`update webhooks set failing_since = '2026-11-20T09:59:59Z' where id = ${webhook.id} returning id`,
  );
  expect((await browser.visit(base)).text).toContain("10:00: it answered 410 Gone. Repair the endpoint");
});

test("with 20 webhooks there is no form for another", async () => {
  const { tenant, browser, base } = await setUp();
  for (let n = 0; n < 20; n++) await createTestWebhook(tenant);
  const { text } = await browser.visit(base);
  expect(text).toContain("the maximum");
  expect(text).not.toContain("Add a webhook");
  const rejected = await browser.visit(base, { form: { url: `${RECEIVER}/a`, scope: "all" } });
  expect([rejected.status, rejected.text.includes("There are 20 webhooks, the maximum.")]).toEqual([409, true]);
});

test.each(["viewer", "editor"] as const)(
  "as %s a member reads webhooks and changes none, on the pages and by the API",
  async (role) => {
    const { tenant, base } = await setUp();
    const member = await signInMember(tenant, role);
    expect((await member.visit(base)).text).toContain("No webhooks yet");
    const webhook = await createTestWebhook(tenant);
    await writeEvent(tenant);
    await send(createSender(), webhook);
    const [delivery] = await listDeliveries(tenant, webhook);
    const path = `${base}/${webhook.id}`;
    for (const page of [base, path, `${path}/deliveries/${delivery?.id}`]) {
      const { status, text } = await member.visit(page);
      expect(status).toBe(200);
      expect(text).toContain(webhook.path);
      expect(text).not.toContain('method="post" action');
      expect(text).not.toContain(webhook.secret);
    }
    const api = `/dashboard/${tenant.workspaceId}/api/webhooks`;
    for (const [address, method, json] of [
      [api, "POST", { url: `${RECEIVER}/a`, types: ["*"] }],
      [`${api}/${webhook.id}`, "PATCH", { status: "disabled" }],
      [`${api}/${webhook.id}/rotate-secret`, "POST", {}],
      [`${api}/${webhook.id}/replay`, "POST", { after: null }],
    ] as const) {
      const response = await member.visit(address, { method, json });
      expect([response.status, JSON.parse(response.text).error_code]).toEqual([403, "missing_permission"]);
    }
    expect(await readWebhook(tenant, webhook.id)).toMatchObject({ status: "enabled" });
  },
);

test("an admin may do what the owner may", async () => {
  const { tenant, base } = await setUp();
  const admin = await signInMember(tenant, "admin");
  const created = await admin.visit(base, { form: { url: `${RECEIVER}/${newId()}`, scope: "all" } });
  expect(created.status).toBe(303);
  const path = created.headers.get("location") ?? "";
  for (const action of ["test", "disable", "enable", "rotate-secret", "delete"])
    expect([action, (await admin.visit(`${path}/${action}`, { form: {} })).status]).toEqual([action, 303]);
});

test("404 for the webhooks and deliveries of another workspace, on every page and for every action", async () => {
  const { browser, base } = await setUp();
  const other = await createTestTenant();
  const theirs = await createTestWebhook(other);
  await writeEvent(other);
  const [delivery] = await listDeliveries(other, theirs);
  for (const page of ["", `/deliveries/${delivery?.id}`])
    expect((await browser.visit(`${base}/${theirs.id}${page}`)).status).toBe(404);
  const form = { url: `${RECEIVER}/mine`, scope: "all", from: "all" };
  const actions = ["", "/enable", "/disable", "/rotate-secret", "/test", "/replay", "/delete"];
  for (const action of [...actions, `/deliveries/${delivery?.id}/redeliver`])
    expect([action, (await browser.visit(`${base}/${theirs.id}${action}`, { form })).status]).toEqual([action, 404]);
  expect(await readWebhook(other, theirs.id)).toMatchObject({ status: "enabled", url: `${RECEIVER}${theirs.path}` });
  expect((await browser.visit(base)).text).not.toContain(theirs.path);
});
