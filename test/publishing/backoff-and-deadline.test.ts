// Backoff and deadlines of deliveries, and what is asked for after a post is published.
import { expect, test, vi } from "vitest";
import { failure } from "../../lib/platforms/platform.ts";
import { tiktok } from "../../lib/platforms/tiktok/driver.ts";
import type { Delivery } from "../../lib/publishing/delivery-events.ts";
import { takeStep } from "../../lib/publishing/delivery-step.ts";
import { publishDue } from "../../lib/publishing/publish-due.ts";
import { DEADLINE_AFTER_DUE_MS } from "../../lib/publishing/timing.ts";
import { createTestPublisher } from "../support/harness.ts";
import {
  afterNoon,
  connectAccount,
  createDelivery,
  NOON,
  publishUntilDone,
  readDelivery,
  respondWith,
  scriptNetwork,
} from "./scripted-network.ts";

const rateLimited = (seconds: number) => respondWith(429, {}, { "retry-after": String(seconds) });

test("Retry-After: 0 still has a backoff", async () => {
  const setting = await connectAccount("tiktok");
  const id = await createDelivery(setting, NOON);
  const network = scriptNetwork({ creator: [rateLimited(0)] });
  const { services } = createTestPublisher(NOON, { fetch: network.fetch });
  await publishDue(services, [id]);
  expect(network.countCalls("creator")).toBe(1);
  const { next, error_message } = await readDelivery(id);
  expect(next?.getTime()).toBeGreaterThanOrEqual(afterNoon(15_000).getTime());
  expect(error_message).toContain(next?.toISOString());
});

test("a rate limit without a reset time is retried with growing intervals until the deadline", async () => {
  const setting = await connectAccount("tiktok");
  const id = await createDelivery(setting, NOON);
  const network = scriptNetwork({ creator: [respondWith(429, {})] });
  const { services, advance } = createTestPublisher(NOON, { fetch: network.fetch });
  const waits: number[] = [];
  for (let tries = 1; tries < 1000; tries++) {
    await publishDue(services, [id]);
    const { status, next, error_message } = await readDelivery(id);
    if (status === "failed" || !next) break;
    expect(error_message).toContain(next.toISOString());
    waits.push(next.getTime() - services.clock().getTime());
    advance(waits.at(-1) ?? 0);
  }
  const [first = 0] = waits;
  expect(first).toBeGreaterThanOrEqual(60_000);
  expect(waits.slice(0, -1)).toEqual(waits.slice(0, -1).toSorted((a, b) => a - b));
  expect(Math.max(...waits)).toBeLessThanOrEqual(15 * 60_000);
  // One attempt per minute would be 1,440.
  expect(network.countCalls("creator")).toBeGreaterThan(90);
  expect(network.countCalls("creator")).toBeLessThan(130);
  expect((await readDelivery(id)).error_code).toBe("deadline_exceeded");
});

test("Retry-After beyond the deadline is capped, and the delivery fails with the network's message", async () => {
  const setting = await connectAccount("tiktok");
  const id = await createDelivery(setting, NOON);
  const network = scriptNetwork({ creator: [rateLimited(48 * 3600)] });
  const { services, advance } = createTestPublisher(NOON, { fetch: network.fetch });
  await publishDue(services, [id]);
  const { next, deadline, error_message } = await readDelivery(id);
  expect([next, deadline]).toEqual([afterNoon(DEADLINE_AFTER_DUE_MS), afterNoon(DEADLINE_AFTER_DUE_MS)]);
  // No attempt follows the deadline, so the message announces none.
  expect(error_message).toContain(deadline.toISOString());
  expect(error_message).toContain(afterNoon(48 * 3_600_000).toISOString());
  expect(error_message).not.toMatch(/no action is needed/i);
  const row = await publishUntilDone({ services, advance }, id);
  expect(row).toMatchObject({ status: "failed", error_code: "deadline_exceeded" });
  expect(row.error_message).toMatch(/TikTok is rate limiting this account\..* Retry the post after /);
  expect(network.countCalls("creator")).toBe(1);
});

test("the deadline error has the last reason: a paused account, a processing network, a waiting delivery", async () => {
  const after = afterNoon(DEADLINE_AFTER_DUE_MS + 1);
  const paused = await connectAccount("instagram", { status: "paused" });
  const held = await createDelivery(paused, NOON);
  const first = createTestPublisher(NOON);
  await publishDue(first.services, [held]);
  const { error_message: pausedMessage } = await readDelivery(held);
  expect(pausedMessage).toMatch(/is paused\. To publish the post, resume the account/);

  const slow = await connectAccount("instagram");
  const begun = await createDelivery(slow, NOON);
  const network = scriptNetwork({ status: [{ status_code: "IN_PROGRESS" }] });
  await publishDue(createTestPublisher(NOON, { fetch: network.fetch }).services, [begun]);

  const never = await createDelivery(await connectAccount("instagram"), NOON);
  await publishDue(createTestPublisher(after, { fetch: network.fetch }).services, [held, begun, never]);
  const results = await Promise.all([held, begun, never].map(readDelivery));
  for (const row of results)
    expect(row).toMatchObject({ status: "failed", error_code: "deadline_exceeded", next: null });
  expect(results[0]?.error_message).toContain(pausedMessage);
  expect(results[1]?.error_message).toMatch(/Instagram did not finish processing it/);
  expect(results[2]?.error_message).toMatch(/queued behind other posts of the account/);
});

test("a failure that only the operator can end is retried without counting attempts, and logged as an error", async () => {
  const setting = await connectAccount("tiktok");
  const id = await createDelivery(setting, NOON);
  const ended = failure({ class: "transient", code: "version_ended", message: "Our version ended.", operator: true });
  const start = vi.spyOn(tiktok, "start");
  for (let tries = 0; tries < 7; tries++) start.mockRejectedValueOnce(ended);
  const logged: object[] = [];
  const log = (line: object) => void logged.push(line);
  const publisher = createTestPublisher(NOON, { fetch: scriptNetwork({}).fetch, log });
  expect(await publishUntilDone(publisher, id)).toMatchObject({ status: "posted", attempts: 1 });
  const errors = logged.filter((line) => "operator" in line);
  expect(errors).toEqual(
    Array(7).fill({
      ...{ level: "error", delivery: id, network: "tiktok" },
      ...{ code: "version_ended", operator: "Our version ended." },
    }),
  );
  start.mockRestore();
});

test("what a published post lacks is shown with it", async () => {
  const setting = await connectAccount("tiktok");
  const id = await createDelivery(setting, NOON);
  const warnings = [
    { code: "visibility_reduced", message: "It is private." },
    { code: "thumbnail_not_set", message: "It has no thumbnail." },
  ];
  const result = {
    state: "published" as const,
    platformPostId: "1",
    url: "https://www.tiktok.com/@a/video/1",
    warnings,
  };
  const publish = vi.spyOn(tiktok, "publish").mockResolvedValueOnce(result);
  const publisher = createTestPublisher(NOON, { fetch: scriptNetwork({}).fetch });
  expect(await publishUntilDone(publisher, id)).toMatchObject({ status: "posted", error_message: null });
  const { body } = await setting.tenant.api.get("/posts");
  expect(body.data.posts[0].accounts.states[0].warnings).toEqual(warnings);
  publish.mockRestore();
});

test("the URL of a published post that is held back is asked for ever less often, for days", async () => {
  const setting = await connectAccount("tiktok");
  const id = await createDelivery(setting, NOON);
  const held = { data: { status: "PUBLISH_COMPLETE", publicaly_available_post_id: [] } };
  const shown = { data: { status: "PUBLISH_COMPLETE", publicaly_available_post_id: ["7300"] } };
  const network = scriptNetwork({ status: [...Array(30).fill(held), shown] });
  const publisher = createTestPublisher(NOON, { fetch: network.fetch });
  const waits: number[] = [];
  for (let next: Date | null = NOON; next; next = (await readDelivery(id)).next) {
    waits.push(next.getTime() - publisher.services.clock().getTime());
    publisher.advance(waits.at(-1) ?? 0);
    await publishDue(publisher.services, [id]);
    expect(await readDelivery(id)).toMatchObject({ status: "posted" });
  }
  expect(waits.slice(1)).toEqual(waits.slice(1).toSorted((a, b) => a - b));
  expect(waits.at(-1)).toBe(6 * 3_600_000);
  expect(publisher.services.clock().getTime()).toBeGreaterThan(afterNoon(2 * 24 * 3_600_000).getTime());
});

test.each([
  [0, 1],
  [30, 15],
  [180, 90],
  [24 * 60, 6 * 60],
])("the url of a post in moderation for %i minutes is asked for again after %i minutes", (waited, minutes) => {
  const delivery = { phase: "permalink", publishedAt: NOON } as Delivery;
  const chance = { now: afterNoon(waited * 60_000), random: 0 };
  const { change } = takeStep(delivery, { name: "published_unlisted" }, chance);
  expect(change.nextAttemptAt).toEqual(afterNoon((waited + minutes) * 60_000));
});
