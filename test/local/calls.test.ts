// What the counter of the local world reports about the calls of one request.
import { setTimeout as sleep } from "node:timers/promises";
import { expect, test, vi } from "vitest";
import { createCalls } from "./calls.ts";

const nothing = async () => undefined;

test("calls in a row add up and parallel ones count as one round trip", async () => {
  const calls = createCalls();
  await Promise.all([calls.around("database", "r", nothing), calls.around("redis", "r", nothing)]);
  await calls.around("bucket", "r", nothing);
  expect(calls.report("r")).toMatchObject({ database: 1, redis: 1, bucket: 1, round_trips: 2 });
});

test("a call that overlaps a chain does not lengthen it", async () => {
  const calls = createCalls();
  const { promise: finished, resolve: finish } = Promise.withResolvers<void>();
  const slow = calls.around("bucket", "r", () => finished);
  await calls.around("database", "r", nothing);
  await calls.around("database", "r", nothing);
  finish();
  await slow;
  expect(calls.report("r").round_trips).toBe(2);
});

test("a failed call counts and its failure passes through", async () => {
  const calls = createCalls();
  const failing = calls.around("redis", "r", () => Promise.reject(new Error("no")));
  await expect(failing).rejects.toThrow("no");
  expect(calls.report("r")).toMatchObject({ redis: 1, round_trips: 1 });
});

test("the report without an id is about the last request that had one", async () => {
  const calls = createCalls();
  expect(calls.report()).toMatchObject({ request_id: null, database: 0 });
  await calls.around("database", "first", nothing);
  await calls.around("database", "second", nothing);
  await calls.around("database", "first", nothing);
  await calls.around("database", null, nothing);
  expect(calls.report()).toMatchObject({ request_id: "first", database: 2 });
  expect(calls.report("never")).toMatchObject({ request_id: "never", database: 0, round_trips: 0 });
});

test("old requests are forgotten", async () => {
  const calls = createCalls();
  for (let i = 0; i <= 500; i += 1) await calls.around("database", `r${i}`, nothing);
  expect([calls.report("r0").database, calls.report("r500").database]).toEqual([0, 1]);
});

test("each call takes the delay longer", async () => {
  const calls = createCalls();
  calls.setDelay(30);
  const before = performance.now();
  await calls.around("database", "r", nothing);
  expect(performance.now() - before).toBeGreaterThan(25);
  expect(calls.report("r").ms_per_call).toBe(30);
});

test("a stop ends by itself, tells its servers and spares the others", async () => {
  const calls = createCalls();
  const dropped = vi.fn();
  calls.onStop("speech", dropped);
  calls.stop("speech", 20);
  expect([calls.stopped("speech"), calls.stopped("model")]).toEqual([true, false]);
  expect(dropped).toHaveBeenCalledOnce();
  await sleep(40);
  expect(calls.stopped("speech")).toBe(false);
});
