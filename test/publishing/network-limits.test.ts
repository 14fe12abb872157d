// Limits of the service's app at a network: a circuit that opens when most attempts fail, and a bucket of attempts.
import { expect, test } from "vitest";
import { publishDue } from "../../lib/publishing/publish-due.ts";
import type { Services } from "../../lib/services/context.ts";
import { createTestPublisher } from "../support/harness.ts";
import {
  afterNoon,
  connectAccount,
  createDelivery,
  NOON,
  readDelivery,
  respondWith,
  scriptNetwork,
} from "./scripted-network.ts";

/** An app of its own, so that no other test shares its limits. */
function createPublisher(at: Date, fetch: typeof globalThis.fetch, clientId: string, attemptsPerMinute?: number) {
  const publisher = createTestPublisher(at, { fetch });
  const { env } = publisher.services;
  const instagram = { ...env.networks.instagram, clientId, attemptsPerMinute };
  publisher.services.env = { ...env, networks: { ...env.networks, instagram } };
  return publisher;
}

/** Counts the Redis commands that are sent. */
function countCommands(services: Services): () => number {
  let sent = 0;
  const { redis } = services;
  services.redis = new Proxy(redis, {
    get(target, name, receiver) {
      if (name === "eval") sent += 1;
      return Reflect.get(target, name, receiver);
    },
  });
  return () => sent;
}

test("a network that fails most attempts is left alone for half a minute, and nothing counts as an attempt", async () => {
  const app = crypto.randomUUID();
  const failing = scriptNetwork({ limit: [respondWith(503, {})] });
  const settings = await Promise.all(Array.from({ length: 21 }, () => connectAccount("instagram")));
  const ids = await Promise.all(settings.map((setting) => createDelivery(setting, NOON)));
  const [last = ""] = ids.splice(20);
  for (const id of ids) await publishDue(createPublisher(NOON, failing.fetch, app).services, [id]);
  const calls = failing.calls.length;
  await publishDue(createPublisher(NOON, failing.fetch, app).services, [last]);
  expect(failing.calls.length).toBe(calls);
  expect(await readDelivery(last)).toMatchObject({
    status: "retry",
    attempts: 0,
    error_code: "network_unavailable",
    next: afterNoon(30_000),
  });
  await publishDue(createPublisher(afterNoon(31_000), scriptNetwork({}).fetch, app).services, [last]);
  expect(await readDelivery(last)).toMatchObject({ status: "posted" });
});

test("attempts beyond the limit of the app wait for it, with one Redis command an attempt", async () => {
  const app = crypto.randomUUID();
  const network = scriptNetwork({});
  const ids: string[] = [];
  for (let post = 0; post < 3; post++) ids.push(await createDelivery(await connectAccount("instagram"), NOON));
  const { services, advance } = createPublisher(NOON, network.fetch, app, 120);
  const countSent = countCommands(services);
  for (const id of ids) await publishDue(services, [id]);
  expect(countSent()).toBe(3);
  const [first, second, third = ""] = ids;
  for (const id of [first, second]) expect(await readDelivery(id ?? "")).toMatchObject({ status: "posted" });
  expect(await readDelivery(third)).toMatchObject({ error_code: "network_busy", attempts: 0, next: afterNoon(500) });
  advance(1_000);
  await publishDue(services, [third]);
  expect(await readDelivery(third)).toMatchObject({ status: "posted" });
});

test("without Redis every attempt is made", async () => {
  const id = await createDelivery(await connectAccount("instagram"), NOON);
  const publisher = createPublisher(NOON, scriptNetwork({}).fetch, crypto.randomUUID(), 1);
  publisher.services.redis = new Proxy(publisher.services.redis, {
    get: () => () => Promise.reject(new Error("Redis does not respond")),
  });
  await publishDue(publisher.services, [id]);
  expect(await readDelivery(id)).toMatchObject({ status: "posted" });
});
