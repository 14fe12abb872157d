// Simulates cron, the queue and its consumers, on a clock that advances to the next cron run when all are idle.
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { Worker } from "node:worker_threads";
import { enqueueDueDeliveries } from "../../functions/cron/deliveries.ts";
import { openServices } from "../../lib/services/context.ts";
import type { DeliveriesMessage } from "../../lib/services/env.ts";
import { createQueue } from "../support/queue.ts";
import type { Batch, PublisherMessage } from "./publisher-thread.ts";

const PUBLISHER = join(import.meta.dirname, "publisher-thread.ts");
const CRON_INTERVAL_MS = 60_000;
/** As in wrangler.toml. */
const MESSAGES_PER_BATCH = 1;
const POLL_INTERVAL_MS = 10;

interface Message {
  ids: string[];
  at: number;
}

interface Publisher {
  thread: Worker;
  busy: boolean;
}

export interface Options {
  vars: Record<string, string>;
  publishers: number;
  /** Called continuously; returns whether to kill a busy publisher. */
  shouldKill: () => boolean;
  onKilled: () => Promise<void>;
  /** Called when all publishers are idle; returns whether work remains for a later cron run. */
  hasPending: () => Promise<boolean>;
  /** The limit of simulated time. */
  maxMinutes: number;
}

export interface QueueRun {
  /** Number of cron runs. */
  cronRuns: number;
  /** How far the clock was advanced beyond real time. */
  clockOffsetMs: number;
  errors: string[];
}

export async function runSimulatedQueue({ vars, publishers: count, ...options }: Options): Promise<QueueRun> {
  const queue: Message[] = [];
  const errors: string[] = [];
  let clockOffsetMs = 0;
  const now = () => Date.now() + clockOffsetMs;
  const enqueue = (ids: string[], delaySeconds: number) => void queue.push({ ids, at: now() + delaySeconds * 1000 });
  const publishers = Array.from({ length: count }, () => startPublisher(vars, enqueue, errors));

  const cron = createCronServices(vars, enqueue, now);
  const began = now();
  let nextCron = began;
  let cronRuns = 0;
  let killed = false;
  try {
    while (now() - began < options.maxMinutes * CRON_INTERVAL_MS) {
      if (now() >= nextCron) {
        await enqueueDueDeliveries(cron);
        nextCron += CRON_INTERVAL_MS;
        cronRuns += 1;
      }
      dispatchBatches(queue, publishers, now(), clockOffsetMs);
      const busyPublisher = publishers.find(({ busy }) => busy);
      if (!killed && busyPublisher && options.shouldKill()) {
        killed = true;
        await busyPublisher.thread.terminate();
        publishers.splice(publishers.indexOf(busyPublisher), 1);
        await options.onKilled();
      }
      if (publishers.some(({ busy }) => busy)) await sleep(POLL_INTERVAL_MS);
      else if (queue.length === 0 && !(await options.hasPending())) break;
      else clockOffsetMs += Math.max(0, Math.min(nextCron, ...queue.map(({ at }) => at)) - now());
    }
  } finally {
    await Promise.all(publishers.map(({ thread }) => thread.terminate()));
  }
  return { cronRuns, clockOffsetMs, errors };
}

function dispatchBatches(queue: Message[], publishers: Publisher[], now: number, clockOffsetMs: number): void {
  for (const publisher of publishers) {
    if (publisher.busy) continue;
    const ready = queue.filter(({ at }) => at <= now).slice(0, MESSAGES_PER_BATCH);
    if (ready.length === 0) return;
    for (const message of ready) queue.splice(queue.indexOf(message), 1);
    const batch: Batch = { ids: [...new Set(ready.flatMap(({ ids }) => ids))], clockOffsetMs };
    publisher.busy = true;
    publisher.thread.postMessage(batch);
  }
}

function startPublisher(
  vars: Record<string, string>,
  enqueue: (ids: string[], delaySeconds: number) => void,
  errors: string[],
): Publisher {
  const thread = new Worker(PUBLISHER, { workerData: { vars } });
  const publisher: Publisher = { thread, busy: false };
  thread.on("message", (message: PublisherMessage) => {
    if (message.type === "enqueue") enqueue(message.ids, message.delaySeconds);
    else if (message.type === "error") errors.push(message.line);
    else publisher.busy = false;
  });
  thread.on("error", (error) => {
    errors.push(String(error));
    publisher.busy = false;
  });
  return publisher;
}

function createCronServices(
  vars: Record<string, string>,
  enqueue: (ids: string[], delaySeconds: number) => void,
  now: () => number,
) {
  const DELIVERIES = createQueue<DeliveriesMessage>(({ deliveryIds, delaySeconds }) =>
    enqueue(deliveryIds, delaySeconds),
  );
  const services = openServices({ ...vars, DELIVERIES }, `cron.${crypto.randomUUID()}`, (work) => void work);
  return { ...services, log: () => undefined, clock: () => new Date(now()) };
}
