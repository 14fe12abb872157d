// Posts in every state that a person sees, so that no page is looked at empty.
import { setTimeout as sleep } from "node:timers/promises";
import { BASE_PATH } from "../../lib/shared/paths.ts";
import type { Seed } from "../local/seed.ts";
import { createSampleProject } from "./sample-project.ts";

const HOUR_MS = 3_600_000;
const MAX_RETRIES = 5;
const RETRY_MS = 2_000;
const CAPTIONS = [
  "Morning light on the pier, before anybody is up",
  "Behind the scenes of our autumn catalogue: three days, two cameras, one very patient dog",
  "New in the shop: linen in five colours",
  "Which one would you hang in your kitchen?",
  "We are hiring a second photographer in Bergen",
];

/** Publishes and schedules posts with the key of the seeded workspace. */
export async function fillWorkspace(origin: string, { keys, accounts }: Seed): Promise<void> {
  const call = async <Data>(method: string, path: string, body: unknown): Promise<Data> => {
    const headers = {
      Authorization: `Bearer ${keys.workspace}`,
      "Content-Type": "application/json",
      "Idempotency-Key": crypto.randomUUID(),
    };
    const init = { method, headers, body: JSON.stringify(body) };
    let response = await fetch(`${origin}${BASE_PATH}${path}`, init);
    // On a busy machine a server of the stack may answer too late; the key makes a retry safe.
    for (let retry = 0; response.status === 503 && retry < MAX_RETRIES; retry++) {
      await sleep(RETRY_MS);
      response = await fetch(`${origin}${BASE_PATH}${path}`, init);
    }
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`);
    return ((await response.json()) as { data: Data }).data;
  };
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
