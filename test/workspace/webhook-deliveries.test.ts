// The deliveries of a webhook on its page: attempts with what came back, the body, sending again and replay.
import { sql } from "drizzle-orm";
import { v7 as newId } from "uuid";
import { describe, expect, test } from "vitest";
import { createTestTenant, queryRows, type Tenant } from "../support/harness.ts";
import {
  behave,
  createSender,
  createTestWebhook,
  listDeliveries,
  listReceived,
  send,
  writeEvent,
} from "../webhooks/receiver.ts";
import { type Browser, signInOwner } from "./dashboard.ts";

const countRecords = (text: string) => (text.match(/<li id="delivery-/g) ?? []).length;
const findLink = (text: string, words: string) =>
  text.match(new RegExp(`href="([^"]+)"[^>]*>${words}</a>`))?.[1]?.replaceAll("&amp;", "&") ?? "";

async function setUp(): Promise<{ tenant: Tenant; browser: Browser; base: string }> {
  const tenant = await createTestTenant();
  return { tenant, browser: await signInOwner(tenant), base: `/dashboard/${tenant.workspaceId}/webhooks` };
}

test("deliveries show each attempt, what came back and what was sent; one is sent again", async () => {
  const { tenant, browser, base } = await setUp();
  const webhook = await createTestWebhook(tenant);
  const path = `${base}/${webhook.id}`;
  expect((await browser.visit(path)).text).toContain("Nothing was sent yet");
  await writeEvent(tenant);
  const sender = createSender();
  await behave(webhook, { status: 503, body: `<script>alert("1")</script> & down` });
  await send(sender, webhook);
  await queryRows(
    sql`update webhook_deliveries set next_attempt_at = '2031-01-02T03:04:05Z' where webhook_id = ${webhook.id} returning id`,
  );
  await tenant.api.patch("/workspace", { time_zone: "Asia/Kathmandu" });
  const failing = await browser.visit(path);
  expect(failing.text).toContain("HTTP 503 after");
  expect(failing.text).toContain("&lt;script&gt;alert(&quot;1&quot;)&lt;/script&gt; &amp; down");
  expect(failing.text).toContain("next attempt 2 Jan 2031, 08:49:05");
  expect(failing.text).toMatch(/class="badge pending">Waiting/);
  expect(failing.text).toMatch(
    /Every delivery has failed since [^.]+\. If that goes on until [^.]+, the webhook is disabled/,
  );
  expect((await browser.visit(base)).text).toContain('class="badge pending">failing');

  const [delivery] = await listDeliveries(tenant, webhook);
  const sent = await browser.visit(`${path}/deliveries/${delivery?.id}`);
  const json = /<pre[^>]*>(.*?)<\/pre>/s.exec(sent.text)?.[1]?.replaceAll("&quot;", '"') ?? "";
  expect(JSON.parse(json)).toEqual(JSON.parse((await listReceived(webhook))[0]?.body ?? ""));
  expect(sent.text).toContain("&lt;script&gt;");
  expect(sent.text).not.toMatch(/<script(?![^>]*src=)/);

  expect((await browser.visit(`${path}/deliveries/${delivery?.id}/redeliver`, { form: {} })).status).toBe(303);
  await send(createSender(), webhook);
  const done = await browser.visit(path);
  expect(done.text).toContain("2 attempts");
  expect(done.text).toMatch(/class="badge valid">Delivered/);
  expect(await listReceived(webhook)).toHaveLength(2);
  for (const page of [failing, sent, done]) expect(page.text).not.toMatch(/(GET|POST|PATCH|DELETE) \//);
});

test("a test is sent, and its body is shown", async () => {
  const { tenant, browser, base } = await setUp();
  const webhook = await createTestWebhook(tenant);
  const path = `${base}/${webhook.id}`;
  await browser.visit(`${path}/test`, { form: {} });
  await send(createSender(), webhook);
  const { text } = await browser.visit(path);
  expect(text).toContain("webhook.test");
  expect(text).not.toContain("Replay what came after");
  const sent = await browser.visit(findLink(text, "What was sent"));
  expect(sent.text).toContain("&quot;type&quot;: &quot;webhook.test&quot;");
});

test("20 deliveries a page, with a filter that stays in the address", async () => {
  const { tenant, browser, base } = await setUp();
  const webhook = await createTestWebhook(tenant);
  const path = `${base}/${webhook.id}`;
  for (let n = 0; n < 23; n++) await writeEvent(tenant);
  await queryRows(sql`update webhook_deliveries set status = 'failed', next_attempt_at = null where webhook_id = ${webhook.id}
    and sequence <= 22 returning id`);
  const first = await browser.visit(path);
  expect(countRecords(first.text)).toBe(20);
  const next = findLink(first.text, "Older deliveries");
  expect(countRecords((await browser.visit(path + next)).text)).toBe(3);
  const failed = await browser.visit(`${path}?status=failed`);
  expect(failed.text).toContain('value="failed" selected');
  const nextFailed = findLink(failed.text, "Older deliveries");
  expect(nextFailed).toContain("status=failed&");
  expect(countRecords((await browser.visit(path + nextFailed)).text)).toBe(2);
  expect((await browser.visit(`${path}?status=aborted`)).text).toContain("No delivery matches");
  expect(countRecords((await browser.visit(`${path}?status=nothing&cursor=x`)).text)).toBe(20);
});

describe("replay", () => {
  async function setUpSent() {
    const { tenant, browser, base } = await setUp();
    const webhook = await createTestWebhook(tenant);
    for (let n = 0; n < 4; n++) await writeEvent(tenant);
    await queryRows(sql`update events set created_at = created_at - interval '2 hours' where scope_id = ${tenant.workspaceId}
      and sequence <= 2 returning sequence`);
    await queryRows(sql`update webhook_deliveries set status = 'delivered', next_attempt_at = null
      where webhook_id = ${webhook.id} returning id`);
    const events: { id: string }[] = (await tenant.api.get("/events")).body.data.events;
    const path = `${base}/${webhook.id}`;
    const replay = async (form: Record<string, string>) => {
      await browser.visit(`${path}/replay`, { form });
      return (await browser.visit(path)).text;
    };
    return { tenant, browser, webhook, path, events, replay };
  }

  test("after an event that a delivery names, after a time in the zone of the form, and of all", async () => {
    const { browser, path, events, replay } = await setUpSent();
    const page = await browser.visit(path);
    const prefilled = await browser.visit(findLink(page.text, "Replay what came after").replace("#replay", ""));
    expect(prefilled.text).toMatch(/<details class="card" id="replay" open/);
    expect(prefilled.text).toContain(`value="${events[3]?.id}"`);
    expect(await replay({ from: "event", after: events[1]?.id ?? "" })).toContain("2 events are sent again now.");
    expect(await replay({ from: "event", after: events[2]?.id ?? "" })).toContain("1 event is sent again now.");
    expect(await replay({ from: "event", after: events[3]?.id ?? "" })).toContain("There is no later event");
    expect(await replay({ from: "all" })).toContain("4 events are sent again now.");
    const anHourAgo = new Date(Date.now() - 3_600_000 + 5.75 * 3_600_000).toISOString().slice(0, 16);
    expect(await replay({ from: "time", at: anHourAgo, zone: "Asia/Kathmandu" })).toContain("2 events are sent again");
    expect(await replay({ from: "time", at: "2020-01-01T00:00", zone: "UTC" })).toContain("4 events are sent again");
  });

  test("of more events than one replay sends, the form goes on from the last of them", async () => {
    const { tenant, browser, path } = await setUpSent();
    await queryRows(sql`insert into events (scope_id, sequence, id, type, object_id, snapshot, created_at)
      select scope_id, n, event_id(now(), n), type, object_id, snapshot, now() from events, generate_series(5, 5001) n
      where scope_id = ${tenant.workspaceId} and sequence = 4 returning sequence`);
    const [last] = await queryRows<{ id: string }>(
      sql`select id from events where scope_id = ${tenant.workspaceId} and sequence = 5000`,
    );
    const replayed = await browser.visit(`${path}/replay`, { form: { from: "all" } });
    expect(replayed.headers.get("location")).toBe(`${path}?after=${last?.id}#replay`);
    const { text } = await browser.visit(`${path}?after=${last?.id}`);
    expect(text).toContain("5,000 events are sent again now. There are more: replay what came after.");
    await browser.visit(`${path}/replay`, { form: { from: "event", after: last?.id ?? "" } });
    expect((await browser.visit(path)).text).toContain("1 event is sent again now.");
  });

  test("an event that is not in the feed is a problem in words, and 400 for none", async () => {
    const { tenant, browser, path, events, replay } = await setUpSent();
    for (const after of ["x", newId(), newId().replace(/-7/, "-4")])
      expect(await replay({ from: "event", after })).toContain("There is no such event in this workspace.");
    await queryRows(sql`update events set created_at = now() - interval '31 days', id = overlay(id::text placing '0190' from 1 for 4)::uuid
      where scope_id = ${tenant.workspaceId} and sequence = 1 returning sequence`);
    const old = `0190${events[0]?.id.slice(4)}`;
    expect(await replay({ from: "event", after: old })).toContain(
      "Events are kept for 30 days, and this one is older.",
    );
    for (const form of [{ from: "event", after: " " }, { from: "time", at: "2026-02-30T10:00" }, { from: "x" }, {}])
      expect((await browser.visit(`${path}/replay`, { form: form as Record<string, string> })).status).toBe(400);
  });
});
