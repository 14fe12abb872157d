// 100 posts of test mode in a deployment without queue consumers and cron, five of them scheduled.
import { expect } from "vitest";
import { DAY_MS } from "../../lib/shared/durations.ts";

/** For the work after the last response. */
const WAIT_MS = 120_000;

/** Publishes them by requests and an advance alone. */
// biome-ignore lint/suspicious/noExplicitAny: reads any response.
export async function publishHundred(call: (method: string, path: string, body?: unknown) => Promise<any>) {
  await call("POST", "/sandbox/reset");
  const { accounts } = await call("GET", "/accounts");
  const account = accounts.find(({ platform }: { platform: string }) => platform === "bluesky");
  for (let index = 0; index < 100; index++) {
    const scheduled_at = index < 95 ? {} : { scheduled_at: new Date(Date.now() + (index - 93) * DAY_MS).toISOString() };
    await call("POST", "/posts", { caption: `Post ${index}`, accounts: [{ id: account.id }], ...scheduled_at });
  }
  const count = async (status: string) => (await call("GET", `/posts?status=${status}&limit=100`)).posts.length;
  await expect.poll(() => count("posted"), { timeout: WAIT_MS }).toBe(95);
  expect(await count("scheduled")).toBe(5);
  const to = new Date(Date.now() + 10 * DAY_MS).toISOString();
  for (let more = true; more; ) ({ more } = await call("POST", "/sandbox/advance", { to }));
  expect(await count("posted")).toBe(100);
}
