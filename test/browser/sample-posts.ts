// Posts in every state that a person sees, and webhooks that are told of them, so that no page is looked at empty.
import { HOUR_MS } from "../../lib/shared/durations.ts";
import type { Seed } from "../local/seed.ts";
import { type Call, createCaller } from "./call-api.ts";
import { createSampleProject } from "./sample-project.ts";

const CAPTIONS = [
  "Morning light on the pier, before anybody is up",
  "Behind the scenes of our autumn catalogue: three days, two cameras, one very patient dog",
  "New in the shop: linen in five colours",
  "Which one would you hang in your kitchen?",
  "We are hiring a second photographer in Bergen",
];

/** Publishes and schedules posts with the key of the seeded workspace, whose events are sent to the receiver. */
export async function fillWorkspace(origin: string, { keys, accounts }: Seed, receiver: string): Promise<void> {
  const call = createCaller(origin, keys.workspace);
  await createWebhooks(call, receiver);
  const find = (platform: string) =>
    accounts.find((one) => one.platform === platform && one.key === "workspace" && one.status === "active");
  const chosen = ["bluesky", "threads", "twitter", "linkedin"].flatMap((platform) => find(platform) ?? []);
  for (const [at, caption] of CAPTIONS.entries()) {
    const scheduled = new Date(Date.now() + (at * 26 - 24) * HOUR_MS);
    await call("POST", "/posts", {
      caption,
      accounts: chosen.slice(0, 1 + (at % chosen.length)).map(({ id }) => ({ id })),
      ...(at === 0
        ? {}
        : { scheduled_at: new Date(Math.max(scheduled.getTime(), Date.now() + HOUR_MS)).toISOString() }),
    });
  }
  await call("POST", "/slideshows", { title: "Five linen colours", slides: ["Sand", "Moss"].map(toSlide) });
  await createSampleProject(call);
  await call("POST", "/posts/prepare", { caption: "A draft for next week", accounts: [{ id: chosen[0]?.id }] });
}

function toSlide(text: string) {
  return { text_elements: [{ content: text, x: 50, y: 40 }], image_url: null };
}

/** The first one works, the second fails. */
async function createWebhooks(call: Call, receiver: string): Promise<void> {
  await call("POST", "/webhooks", {
    url: `${receiver}/warehouse`,
    types: ["*"],
    description: "Copies everything into the warehouse",
  });
  const failing = { path: "/orders", status: 500, body: "<h1>The order service is down.</h1>", times: 100 };
  await fetch(`${receiver}/_behave`, { method: "POST", body: JSON.stringify(failing) });
  await call("POST", "/webhooks", { url: `${receiver}${failing.path}`, types: ["post.scheduled", "post.published"] });
}
