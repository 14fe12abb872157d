// A webhook that only fails: mails at 50 and 90 % of five days, then it is disabled, with an event and a mail.
import { sql } from "drizzle-orm";
import { expect, test } from "vitest";
import { collectWebhookFailures } from "../../lib/notifications/collect.ts";
import { sendNotifications } from "../../lib/notifications/send.ts";
import { createTestTenant, queryRows, type Tenant, type TestPublisher, vars } from "../support/harness.ts";
import { createBrowser, ORIGIN, signInMember, signInOwner } from "../workspace/dashboard.ts";
import {
  behave,
  createSender,
  createTestWebhook,
  listDeliveries,
  listReceived,
  RECEIVER,
  send,
  verify,
  writeEvent,
} from "./receiver.ts";

const DAY = 24 * 60 * 60 * 1000;

interface Mail {
  to: string[];
  subject: string;
  text: string;
}

/** The oldest first. */
async function listMails(email: string): Promise<Mail[]> {
  const mails: Mail[] = await (await fetch(`${vars.MAIL_API_URL}/_mails`)).json();
  return mails.filter(({ to, subject }) => to.includes(email) && !subject.includes("sign-in code")).toReversed();
}

async function mailAtOnce(personId: string): Promise<void> {
  await queryRows(sql`insert into notification_settings (person_id, frequency, time_zone) values (${personId}, 'at_once', 'UTC')
    on conflict (person_id) do update set frequency = 'at_once'`);
}

async function runNotifications({ services }: TestPublisher): Promise<void> {
  await collectWebhookFailures(services);
  await sendNotifications({ ...services, env: { ...services.env, PUBLIC_URL: ORIGIN } });
}

const readWebhook = async ({ api }: Tenant, id: string) => (await api.get(`/webhooks/${id}`)).body.data;

test("after five days of nothing but failures it is disabled; people who may change it are told before and then", async () => {
  const tenant = await createTestTenant();
  await signInOwner(tenant);
  const [{ email: owner = "" } = {}] = await queryRows<{ email: string }>(
    sql`select email from owners where id = ${tenant.ownerId}`,
  );
  const editor = await signInMember(tenant, "editor");
  const viewer = await signInMember(tenant, "viewer");
  for (const id of [tenant.ownerId, editor.id, viewer.id]) await mailAtOnce(id);
  const webhook = await createTestWebhook(tenant);
  const witness = await createTestWebhook(tenant, { types: ["webhook.disabled"] });
  const sender = createSender();
  await behave(webhook, { status: 500, times: 100 });
  const startedAt = sender.services.clock().getTime();
  const failAt = async (days: number) => {
    sender.advance(startedAt + days * DAY - sender.services.clock().getTime());
    await writeEvent(tenant);
    await send(sender, webhook);
    await runNotifications(sender);
  };
  await failAt(0);
  const first = await readWebhook(tenant, webhook.id);
  expect(first).toMatchObject({ status: "enabled", failing_since: expect.any(String) });
  await failAt(2.4);
  expect(await listMails(owner)).toEqual([]);
  await failAt(2.6);
  await failAt(2.7);
  expect((await listMails(owner)).map(({ subject }) => subject)).toEqual(["A webhook fails"]);
  await failAt(4.6);
  await failAt(4.9);
  expect((await listMails(owner)).map(({ subject }) => subject)).toEqual(["A webhook fails", "A webhook fails"]);
  expect(await readWebhook(tenant, webhook.id)).toMatchObject({ status: "enabled" });
  await failAt(5.01);
  const disabled = await readWebhook(tenant, webhook.id);
  expect(disabled).toMatchObject({ status: "disabled", disabled_reason: "failures", disabled_at: expect.any(String) });
  expect(sender.enqueuedWebhooks).toContainEqual({ scopeIds: [tenant.workspaceId], delaySeconds: 0 });
  await runNotifications(sender);
  for (const email of [owner, editor.email]) {
    const mails = await listMails(email);
    expect(mails.map(({ subject }) => subject)).toEqual([
      "A webhook fails",
      "A webhook fails",
      "A webhook was disabled",
    ]);
    for (const { text } of mails) expect(text).toContain(`${RECEIVER}${webhook.path}`);
    expect(mails.at(-1)?.text).toContain(`${ORIGIN}/dashboard/${tenant.workspaceId}/webhooks`);
    expect(mails.at(-1)?.text).not.toContain(webhook.secret);
  }
  expect(await listMails(viewer.email)).toEqual([]);

  const events = (await tenant.api.get("/events?types=webhook.disabled")).body.data.events;
  expect(events).toHaveLength(1);
  expect(events[0].data.object).toEqual(disabled);
  await send(createSender(), witness);
  const [request] = await listReceived(witness);
  if (!request) throw new Error("nothing was received");
  expect(verify(witness.secret, request)).toEqual(events[0]);

  const sent = (await listReceived(webhook)).length;
  await writeEvent(tenant);
  await send(sender, webhook);
  expect(await listReceived(webhook)).toHaveLength(sent);
  // What waits is sent once it is enabled again.
  await behave(webhook, { times: 0 });
  await tenant.api.patch(`/webhooks/${webhook.id}`, { status: "enabled" });
  sender.advance(DAY);
  await send(sender, webhook);
  const deliveries = await listDeliveries(tenant, webhook);
  // Those of the first days had failed for three days by then.
  expect(new Set(deliveries.map(({ status }) => status))).toEqual(new Set(["delivered", "failed"]));
  expect(deliveries[1]?.status).toBe("delivered");
  expect(await readWebhook(tenant, webhook.id)).toMatchObject({ status: "enabled", failing_since: null });
});

test("a success ends the count, and no mail tells of failures that are over", async () => {
  const tenant = await createTestTenant();
  await createBrowser().visit("/dashboard");
  await mailAtOnce(tenant.ownerId);
  const [{ email = "" } = {}] = await queryRows<{ email: string }>(
    sql`select email from owners where id = ${tenant.ownerId}`,
  );
  const webhook = await createTestWebhook(tenant);
  const sender = createSender();
  await behave(webhook, { status: 500 });
  await writeEvent(tenant);
  await send(sender, webhook);
  await queryRows(sql`update webhooks set failing_since = now() - interval '3 days' where id = ${webhook.id}`);
  await collectWebhookFailures(sender.services);
  const readPercent = () =>
    queryRows<{ percent: number }>(sql`select warned_percent as percent from webhooks where id = ${webhook.id}`);
  expect(await readPercent()).toEqual([{ percent: 50 }]);
  await writeEvent(tenant);
  await send(sender, webhook);
  expect(await readWebhook(tenant, webhook.id)).toMatchObject({ failing_since: null });
  expect(await readPercent()).toEqual([{ percent: 0 }]);
  await runNotifications(sender);
  expect(await listMails(email)).toEqual([]);
});

test("a run after a pause tells of both percentages in one mail", async () => {
  const tenant = await createTestTenant();
  await mailAtOnce(tenant.ownerId);
  const webhook = await createTestWebhook(tenant);
  await queryRows(sql`update webhooks set failing_since = now() - interval '4.8 days' where id = ${webhook.id}`);
  const sender = createSender();
  await runNotifications(sender);
  await runNotifications(sender);
  const notes = await queryRows<{ kind: string; line: string }>(
    sql`select kind, line from notifications where about_id = ${webhook.id}`,
  );
  expect(notes).toEqual([{ kind: "webhook_failing", line: expect.stringContaining("it is disabled") }]);
});

const HOUR = DAY / 24;

test.each([
  [503, "3600", HOUR],
  [429, "a date", 2 * HOUR],
  // Not before the schedule, and not for longer than its longest delay.
  [503, "1", 5_000],
  [429, "99999999999", 10 * HOUR],
  [503, "soon", 5_000],
  [503, "-60", 5_000],
  // Of another meaning: the receiver is not busy.
  [500, "3600", 5_000],
])("%i with Retry-After %s: the next attempt is then", async (status, after, wait) => {
  const tenant = await createTestTenant();
  const webhook = await createTestWebhook(tenant);
  const value = after === "a date" ? new Date(Date.now() + wait).toUTCString() : after;
  await behave(webhook, { status, headers: { "Retry-After": value } });
  await writeEvent(tenant);
  const sender = createSender();
  await send(sender, webhook);
  const [delivery] = await listDeliveries(tenant, webhook);
  const next = Date.parse(delivery?.next_attempt_at ?? "") - sender.services.clock().getTime();
  expect(Math.abs(next - wait)).toBeLessThan(5_000);
  sender.advance(wait - 6_000);
  await send(sender, webhook);
  expect(await listReceived(webhook)).toHaveLength(1);
  sender.advance(12_000);
  await send(sender, webhook);
  expect(await listDeliveries(tenant, webhook)).toMatchObject([{ status: "delivered", attempts: [{}, {}] }]);
});

test("Retry-After does not take the last attempt of three days away", async () => {
  const tenant = await createTestTenant();
  const webhook = await createTestWebhook(tenant);
  await behave(webhook, { status: 503, headers: { "Retry-After": "36000" }, times: 100 });
  await writeEvent(tenant);
  const sender = createSender();
  for (let at = 0; at < 80; at++) {
    await send(sender, webhook);
    sender.advance(HOUR);
  }
  const [delivery] = await listDeliveries(tenant, webhook);
  expect(delivery?.status).toBe("failed");
  const times = delivery?.attempts.map(({ at }) => Date.parse(at)) ?? [];
  expect(times.length).toBeGreaterThanOrEqual(8);
  expect(Math.max(...times) - Math.min(...times)).toBeLessThanOrEqual(3 * DAY + HOUR);
});

test("410 disables the webhook at once; what waits is sent once it is enabled again", async () => {
  const tenant = await createTestTenant();
  await mailAtOnce(tenant.ownerId);
  const webhook = await createTestWebhook(tenant);
  await behave(webhook, { status: 410 });
  await writeEvent(tenant);
  const sender = createSender();
  await send(sender, webhook);
  expect(await readWebhook(tenant, webhook.id)).toMatchObject({ status: "disabled", disabled_reason: "failures" });
  expect((await tenant.api.get("/events?types=webhook.disabled")).body.data.events).toHaveLength(1);
  await runNotifications(sender);
  const notes = await queryRows(sql`select kind, line from notifications where about_id = ${webhook.id}`);
  const line = expect.stringContaining(`${webhook.path} answered 410 Gone, so that it was disabled.`);
  expect(notes).toEqual([{ kind: "webhook_disabled", line }]);
  sender.advance(HOUR);
  await send(sender, webhook);
  expect(await listReceived(webhook)).toHaveLength(1);
  await tenant.api.patch(`/webhooks/${webhook.id}`, { status: "enabled" });
  await send(sender, webhook);
  expect(await listDeliveries(tenant, webhook)).toMatchObject([
    { status: "delivered", attempts: [{ status: 410 }, { status: 200 }] },
  ]);
});
