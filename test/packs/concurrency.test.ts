// An isolate holds few outside images in memory at a time.
import { expect, test } from "vitest";
import { createIsolateConcurrencyLimiter } from "../../lib/shared/isolate-concurrency-limit.ts";
import { buildGradientRows, buildPng } from "../media/png-writer.ts";
import { createTestTenant } from "../support/harness.ts";
import { createPack } from "./factories.ts";
import { addImage, startImageHost } from "./image-host.ts";

test("two images at a time are fetched, one of each customer; the others wait", async () => {
  const limit = createIsolateConcurrencyLimiter(2);
  const running: string[] = [];
  const seen: string[] = [];
  const work = (customer: string) =>
    limit(async () => {
      running.push(customer);
      seen.push(running.toSorted().join(""));
      await new Promise((resume) => setTimeout(resume, 30));
      running.splice(running.indexOf(customer), 1);
    }, customer);
  await Promise.all(["a", "a", "b", "c", "a"].map(work));
  expect(seen.every((at) => ["a", "b", "c", "ab", "ac", "bc"].includes(at))).toBe(true);
  expect(seen).toHaveLength(5);
});

test("201 for a customer beside one whose image host is slow; the second slow image waits", async () => {
  const [slow, other, host] = [await createTestTenant(), await createTestTenant(), await startImageHost()];
  const png = buildPng(7, 5, buildGradientRows(7, 5));
  let finish = () => {};
  const held = new Promise<void>((resolve) => {
    finish = resolve;
  });
  const slowUrl = host.at("/slow.png", async (_, response) => {
    await held;
    response.end(png);
  });
  const fastUrl = host.at("/fast.png", (_, response) => response.end(png));
  const packs = [await createPack(slow.api), await createPack(other.api)];
  const waiting = [1, 2].map(() => addImage(slow.api, packs[0].id, { image_url: slowUrl }, [host.host]));
  const added = await addImage(other.api, packs[1].id, { image_url: fastUrl }, [host.host]);
  expect([added.status, host.requestedPaths.filter((path) => path === "/slow.png").length]).toEqual([201, 1]);
  finish();
  expect((await Promise.all(waiting)).map(({ status }) => status)).toEqual([201, 201]);
  await host.close();
});
