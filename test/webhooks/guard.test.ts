// Where a webhook is never sent: to private addresses, whenever its name leads there.
import { sql } from "drizzle-orm";
import { expect, test } from "vitest";
import { sendDue } from "../../lib/events/send-webhooks.ts";
import type { Services } from "../../lib/services/context.ts";
import { createTestTenant, openTestDatabase } from "../support/harness.ts";
import { createSender, listDeliveries, writeEvent } from "./receiver.ts";

const HOST = "hooks.partner-of-ours.com";

/** A sender whose DNS answers with these addresses, one list for each lookup, and whose requests are recorded. */
function createGuardedSender(...answers: string[][]) {
  const sender = createSender();
  const requested: string[] = [];
  const lookups: string[] = [];
  const services: Services = {
    ...sender.services,
    env: { ...sender.services.env, allowedHosts: [] },
    resolveHost: async (host) => {
      lookups.push(host);
      return answers[Math.min(lookups.length, answers.length) - 1] ?? [];
    },
    fetch: async (input) => {
      requested.push(String(input));
      return new Response("ok");
    },
  };
  return { services, sender, requested, lookups };
}

async function createWebhookAt(url: string) {
  const tenant = await createTestTenant();
  const created = await tenant.api.post("/webhooks", { url: "https://1.1.1.1/hook", types: ["*"] });
  const { id, secret } = created.body.data;
  // As if the name had been public when the webhook was created.
  await openTestDatabase().execute(sql`update webhooks set url = ${url} where id = ${id}`);
  await writeEvent(tenant);
  return { tenant, webhook: { id, secret, path: "" } };
}

test("a name is looked up before each request: one that moved to a private address gets nothing", async () => {
  const { tenant, webhook } = await createWebhookAt(`https://${HOST}/hook`);
  const { services, sender, requested, lookups } = createGuardedSender(["10.0.0.7"], ["93.184.215.14"], ["127.0.0.1"]);
  await sendDue(services, webhook.id);
  expect(requested).toEqual([]);
  expect(await listDeliveries(tenant, webhook)).toMatchObject([
    { status: "pending", attempts: [{ status: null, error: expect.stringContaining("is not public") }] },
  ]);
  sender.advance(6_000);
  await sendDue(services, webhook.id);
  expect(requested).toEqual([`https://${HOST}/hook`]);
  await writeEvent(tenant);
  sender.advance(6_000);
  await sendDue(services, webhook.id);
  expect([requested.length, lookups]).toEqual([1, [HOST, HOST, HOST]]);
});

test.each([
  ["one private address among public ones", ["93.184.215.14", "192.168.1.1"]],
  ["a mapped private address", ["::ffff:10.0.0.1"]],
  ["a link-local address", ["fe80::1"]],
  ["the address of the metadata service", ["169.254.169.254"]],
  ["no address", []],
])("nothing is sent to a name with %s", async (_what, addresses) => {
  const { tenant, webhook } = await createWebhookAt(`https://${HOST}/hook`);
  const { services, requested } = createGuardedSender(addresses);
  await sendDue(services, webhook.id);
  expect(requested).toEqual([]);
  expect(await listDeliveries(tenant, webhook)).toMatchObject([{ status: "pending", attempts: [{ status: null }] }]);
});

test("no attempt says more of a private address than that it is not public", async () => {
  const { tenant, webhook } = await createWebhookAt("https://127.0.0.1:9/hook");
  const { services, requested } = createGuardedSender([]);
  await sendDue(services, webhook.id);
  expect(requested).toEqual([]);
  const [delivery] = await listDeliveries(tenant, webhook);
  expect(delivery?.attempts[0]).toMatchObject({
    response_excerpt: null,
    error: "The address 127.0.0.1 is not public.",
  });
});
