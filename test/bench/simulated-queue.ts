// Simulates cron, the queue and its consumers, on a clock that advances to the next cron run when all are idle.
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { Worker } from "node:worker_threads";
import { enqueueDueDeliveries } from "../../functions/cron/deliveries.ts";
import { openServices } from "../../lib/services/context.ts";
import type { DeliveriesMessage } from "../../lib/services/env.ts";
import { createQueue, createSimulatedQueue, type SimulatedQueue } from "../support/queue.ts";
import type { Batch, PublisherMessage } from "./publisher-thread.ts";

const PUBLISHER = join(import.meta.dirname, "publisher-thread.ts");
const CRON_INTERVAL_MS = 60_000;
const POLL_INTERVAL_MS = 10;

type Enqueue = (ids: string[], delaySeconds: number) => void;

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
  /** Milliseconds by which the clock was advanced beyond real time. */
  clockOffsetMs: number;
  errors: string[];
}

export async function runSimulatedQueue({ vars, publishers: count, ...options }: Options): Promise<QueueRun> {
  const errors: string[] = [];
  let clockOffsetMs = 0;
  const now = () => Date.now() + clockOffsetMs;
  const queue = createSimulatedQueue(now);
  const enqueue: Enqueue = (ids, delaySeconds) => queue.send(ids, { delayMs: delaySeconds * 1000 });
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
      dispatchMessages(queue, publishers, clockOffsetMs);
      const busyPublisher = publishers.find(({ busy }) => busy);
      if (!killed && busyPublisher && options.shouldKill()) {
        killed = true;
        await busyPublisher.thread.terminate();
        publishers.splice(publishers.indexOf(busyPublisher), 1);
        await options.onKilled();
      }
      if (publishers.some(({ busy }) => busy)) await sleep(POLL_INTERVAL_MS);
      else if (queue.nextAt() === Number.POSITIVE_INFINITY && !(await options.hasPending())) break;
      else clockOffsetMs += Math.max(0, Math.min(nextCron, queue.nextAt()) - now());
    }
  } finally {
    await Promise.all(publishers.map(({ thread }) => thread.terminate()));
  }
  return { cronRuns, clockOffsetMs, errors };
}

/** A message at a time, as wrangler.toml has it. */
function dispatchMessages(queue: SimulatedQueue, publishers: Publisher[], clockOffsetMs: number): void {
  for (const publisher of publishers) {
    if (publisher.busy) continue;
    const [message] = queue.takeDue(1);
    if (!message) return;
    const batch: Batch = { ids: message.ids, clockOffsetMs };
    publisher.busy = true;
    publisher.thread.postMessage(batch);
  }
}

function startPublisher(vars: Record<string, string>, enqueue: Enqueue, errors: string[]): Publisher {
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

function createCronServices(vars: Record<string, string>, enqueue: Enqueue, now: () => number) {
  const DELIVERIES = createQueue<DeliveriesMessage>(({ deliveryIds, delaySeconds }) =>
    enqueue(deliveryIds, delaySeconds),
  );
  const services = openServices({ ...vars, DELIVERIES }, `cron.${crypto.randomUUID()}`, (work) => void work);
  return { ...services, log: () => undefined, clock: () => new Date(now()) };
}
