// When the lines and lists of requests are written. What they contain: request-log.test.ts.
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { beginRequest, endRequest } from "../../lib/http/request-writer.ts";
import type { Services } from "../../lib/services/context.ts";

beforeEach(() => void vi.useFakeTimers({ now: 1_000_000 }));
afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

/** An isolate of the local stack: runs requests one after the other, and counts the calls that print their lines. */
function createIsolate() {
  const services = { env: { ENVIRONMENT: "local" }, requestId: "r", waitUntil() {} } as unknown as Services;
  const printing = vi.spyOn(console, "log").mockImplementation(() => undefined);
  const run = (count: number) => {
    for (let ended = 0; ended < count; ended++) {
      beginRequest(services);
      endRequest(services, { line: { ended }, listed: null });
    }
  };
  const countLines = () => printing.mock.calls.flatMap(([text]) => String(text).split("\n")).length;
  return { services, run, countCalls: () => printing.mock.calls.length, countLines };
}

test("a request that is alone is written at once", () => {
  const { run, countCalls } = createIsolate();
  for (let sent = 1; sent <= 30; sent++) {
    run(1);
    expect(countCalls()).toBe(sent);
    vi.advanceTimersByTime(20);
  }
});

test("a request waits a quarter of a second for those that are running", async () => {
  const { services, run, countCalls, countLines } = createIsolate();
  beginRequest(services);
  run(3);
  await vi.advanceTimersByTimeAsync(249);
  expect(countCalls()).toBe(0);
  await vi.advanceTimersByTimeAsync(1);
  expect([countCalls(), countLines()]).toEqual([1, 3]);
});

test("a busy isolate writes four times a second, and nothing is lost", async () => {
  const { run, countCalls, countLines } = createIsolate();
  const perSecond = async () => {
    const before = countCalls();
    for (let passed = 0; passed < 1_000; passed += 5) {
      run(2);
      await vi.advanceTimersByTimeAsync(5);
    }
    return countCalls() - before;
  };
  await perSecond();
  expect(await perSecond()).toBeLessThanOrEqual(5);
  await vi.advanceTimersByTimeAsync(250);
  expect(countLines()).toBe(800);
});
