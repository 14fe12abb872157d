// Messages of the local queues: batches, consumers at once, repeats with their delays, dead letters.
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { type BatchResult, type ConsumerSettings, createQueues } from "./queues.ts";

const DONE: BatchResult = { outcome: "ok", retryBatch: { retry: false }, retryMessages: [] };
const SETTINGS: ConsumerSettings = {
  queue: "work",
  max_batch_size: 1,
  max_batch_timeout: 0,
  max_retries: 2,
  retry_delay: 10,
};

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

function sendNumbers(queues: ReturnType<typeof createQueues>, count: number, delaySeconds = 0): void {
  queues.send({ queue: "work", bodies: Array.from({ length: count }, (_, at) => at), delaySeconds });
}

test("as many consumers run at once as the settings grant, each with a batch", async () => {
  let [running, most] = [0, 0];
  const seen: unknown[] = [];
  const queues = createQueues([{ ...SETTINGS, max_concurrency: 3 }], async (_, messages) => {
    most = Math.max(most, ++running);
    seen.push(...messages.map(({ body }) => body));
    await new Promise((resolve) => setTimeout(resolve, 1_000));
    running -= 1;
    return DONE;
  });
  sendNumbers(queues, 7);
  await vi.advanceTimersByTimeAsync(3_000);
  expect({ most, seen }).toEqual({ most: 3, seen: [0, 1, 2, 3, 4, 5, 6] });
});

test("a batch waits for its size or its time", async () => {
  const batches: number[] = [];
  const queues = createQueues([{ queue: "work", max_batch_size: 3, max_batch_timeout: 5 }], async (_, messages) => {
    batches.push(messages.length);
    return DONE;
  });
  sendNumbers(queues, 4);
  await vi.advanceTimersByTimeAsync(4_999);
  expect(batches).toEqual([3]);
  await vi.advanceTimersByTimeAsync(1);
  expect(batches).toEqual([3, 1]);
});

test("a failed batch is repeated after the delay, a repeated message after its own, and then it is a dead letter", async () => {
  const started = Date.now();
  const attempts: [queue: string, attempt: number, seconds: number][] = [];
  const settings = [
    { ...SETTINGS, dead_letter_queue: "dead" },
    { queue: "dead", max_batch_size: 1, max_batch_timeout: 0 },
  ];
  const queues = createQueues(settings, async (queue, [message]) => {
    if (!message) throw new Error("an empty batch");
    attempts.push([queue, message.attempts, (Date.now() - started) / 1000]);
    if (queue === "dead") return DONE;
    if (message.attempts === 1) throw new Error("the consumer failed");
    return { ...DONE, retryMessages: [{ msgId: message.id, delaySeconds: 3 }] };
  });
  sendNumbers(queues, 1, 1);
  await vi.advanceTimersByTimeAsync(60_000);
  expect(attempts).toEqual([
    ["work", 1, 1],
    ["work", 2, 11],
    ["work", 3, 14],
    ["dead", 1, 14],
  ]);
});

test("a queue without a consumer takes nothing", () => {
  const queues = createQueues([], async () => DONE);
  expect(() => sendNumbers(queues, 1)).toThrow("The queue work has no consumer.");
});
