// The report of the local stack about the calls of one request.
import { setTimeout as sleep } from "node:timers/promises";
import { expect, test, vi } from "vitest";
import { createCallCounter } from "./call-counter.ts";

const nothing = async () => undefined;

test("sequential calls add up, parallel calls count as one round trip", async () => {
  const calls = createCallCounter();
  await Promise.all([calls.countCall("database", "r", nothing), calls.countCall("redis", "r", nothing)]);
  await calls.countCall("bucket", "r", nothing);
  expect(calls.report("r")).toMatchObject({ database: 1, redis: 1, bucket: 1, round_trips: 2 });
});

test("a call parallel to a chain of calls does not lengthen it", async () => {
  const calls = createCallCounter();
  const { promise: finished, resolve: finish } = Promise.withResolvers<void>();
  const slow = calls.countCall("bucket", "r", () => finished);
  await calls.countCall("database", "r", nothing);
  await calls.countCall("database", "r", nothing);
  finish();
  await slow;
  expect(calls.report("r").round_trips).toBe(2);
});

test("a failed call is counted and rethrows its error", async () => {
  const calls = createCallCounter();
  const failing = calls.countCall("redis", "r", () => Promise.reject(new Error("no")));
  await expect(failing).rejects.toThrow("no");
  expect(calls.report("r")).toMatchObject({ redis: 1, round_trips: 1 });
});

test("a report without an id covers the last request that had one", async () => {
  const calls = createCallCounter();
  expect(calls.report()).toMatchObject({ request_id: null, database: 0 });
  await calls.countCall("database", "first", nothing);
  await calls.countCall("database", "second", nothing);
  await calls.countCall("database", "first", nothing);
  await calls.countCall("database", null, nothing);
  expect(calls.report()).toMatchObject({ request_id: "first", database: 2 });
  expect(calls.report("never")).toMatchObject({ request_id: "never", database: 0, round_trips: 0 });
});

test("old requests are evicted", async () => {
  const calls = createCallCounter();
  for (let i = 0; i <= 500; i += 1) await calls.countCall("database", `r${i}`, nothing);
  expect([calls.report("r0").database, calls.report("r500").database]).toEqual([0, 1]);
});

test("each call is delayed", async () => {
  const calls = createCallCounter();
  calls.setDelay(30);
  const before = performance.now();
  await calls.countCall("database", "r", nothing);
  expect(performance.now() - before).toBeGreaterThan(25);
  expect(calls.report("r").ms_per_call).toBe(30);
});

test("a stop notifies its servers, affects no others and expires", async () => {
  const calls = createCallCounter();
  const dropped = vi.fn();
  calls.onStop("speech", dropped);
  calls.stop("speech", 20);
  expect([calls.isStopped("speech"), calls.isStopped("model")]).toEqual([true, false]);
  expect(dropped).toHaveBeenCalledOnce();
  await sleep(40);
  expect(calls.isStopped("speech")).toBe(false);
});
