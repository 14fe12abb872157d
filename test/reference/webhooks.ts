// The examples of webhooks, which are sent to the receiver of the local stack.
import type { Tenant } from "../support/harness.ts";
import { behave, createSender, RECEIVER, send, writeEvent } from "../webhooks/receiver.ts";
import type { Recorder } from "./recorder.ts";

const PATH = "/partner-api";

/** A little ahead, as that of a sender, but not still: attempts have a duration. */
const clock = () => new Date(Date.now() + 1_000);

export async function sendWebhookExamples({ send: sendExample }: Recorder, tenant: Tenant): Promise<void> {
  const created = await sendExample("webhooks.create", {
    title: "For two types",
    body: { url: `${RECEIVER}${PATH}`, types: ["post.published", "post.failed"], description: "Shop" },
  });
  const params = { webhookId: created.id };
  await sendExample("webhooks.update", { title: "All types", params, body: { types: ["*"] } });
  await sendExample("webhooks.list", { title: "All webhooks" });
  await sendExample("webhooks.test", { title: "A test", params });
  const webhook = { ...created, path: PATH };
  await send(createSender({ clock }), webhook);
  await behave(webhook, { status: 503, body: "Restarting" });
  await writeEvent(tenant);
  await send(createSender({ clock }), webhook);
  const { deliveries } = await sendExample("webhooks.deliveries", {
    title: "A test and a failure",
    params,
    query: { limit: "2" },
  });
  const [failed] = deliveries;
  await sendExample("webhooks.get", { title: "A webhook that fails", params });
  const delivery = { ...params, deliveryId: failed.id };
  await sendExample("webhooks.redeliver", { title: "An event that failed", params: delivery });
  await send(createSender({ clock }), webhook);
  await sendExample("webhooks.rotate-secret", { title: "A new secret", params, body: {} });
  const { events } = (await tenant.api.get("/events?limit=200")).body.data;
  await sendExample("webhooks.replay", { title: "The last two events", params, body: { after: events.at(-3).id } });
  await sendExample("webhooks.delete", { title: "A webhook", params });
}
