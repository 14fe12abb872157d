// Cron, the queue and two publishers behind it, on a clock that moves on when nothing is left to do before the next tick.
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { Worker } from "node:worker_threads";
import { publishTick } from "../../functions/cron/publish.ts";
import { openWorld } from "../../lib/call.ts";
import type { DeliveryNudge } from "../../lib/env.ts";
import type { Batch, Word } from "./publisher-thread.ts";

const PUBLISHER = join(import.meta.dirname, "publisher-thread.ts");
const TICK_MS = 60_000;
/** As in wrangler.toml. */
const MESSAGES_PER_BATCH = 10;
const LOOK_EVERY_MS = 10;

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
  /** Asked all the time: kill a publisher that is at work? */
  killNow: () => boolean;
  onKilled: () => Promise<void>;
  /** Asked when everybody is idle: is anything left for a later tick? */
  left: () => Promise<boolean>;
  /** The clock goes no further than this. */
  minutesAtMost: number;
}

export interface Ran {
  /** How often cron came. */
  ticks: number;
  /** How far the clock was moved, beside the time that passed. */
  aheadMs: number;
  troubles: string[];
}

export async function runQueue({ vars, publishers: count, ...options }: Options): Promise<Ran> {
  const queue: Message[] = [];
  const troubles: string[] = [];
  let aheadMs = 0;
  const now = () => Date.now() + aheadMs;
  const nudge = (ids: string[], delaySeconds: number) => void queue.push({ ids, at: now() + delaySeconds * 1000 });
  const publishers = Array.from({ length: count }, () => startPublisher(vars, nudge, troubles));

  const cron = cronWorld(vars, nudge, now);
  const began = now();
  let nextTick = began;
  let ticks = 0;
  let killed = false;
  try {
    while (now() - began < options.minutesAtMost * TICK_MS) {
      if (now() >= nextTick) {
        await publishTick(cron);
        nextTick += TICK_MS;
        ticks += 1;
      }
      hand(queue, publishers, now(), aheadMs);
      const victim = publishers.find(({ busy }) => busy);
      if (!killed && victim && options.killNow()) {
        killed = true;
        await victim.thread.terminate();
        publishers.splice(publishers.indexOf(victim), 1);
        await options.onKilled();
      }
      if (publishers.some(({ busy }) => busy)) await sleep(LOOK_EVERY_MS);
      else if (queue.length === 0 && !(await options.left())) break;
      else aheadMs += Math.max(0, Math.min(nextTick, ...queue.map(({ at }) => at)) - now());
    }
  } finally {
    await Promise.all(publishers.map(({ thread }) => thread.terminate()));
  }
  return { ticks, aheadMs, troubles };
}

function hand(queue: Message[], publishers: Publisher[], now: number, aheadMs: number): void {
  for (const publisher of publishers) {
    if (publisher.busy) continue;
    const ready = queue.filter(({ at }) => at <= now).slice(0, MESSAGES_PER_BATCH);
    if (ready.length === 0) return;
    for (const message of ready) queue.splice(queue.indexOf(message), 1);
    const batch: Batch = { ids: [...new Set(ready.flatMap(({ ids }) => ids))], aheadMs };
    publisher.busy = true;
    publisher.thread.postMessage(batch);
  }
}

function startPublisher(
  vars: Record<string, string>,
  nudge: (ids: string[], delaySeconds: number) => void,
  troubles: string[],
): Publisher {
  const thread = new Worker(PUBLISHER, { workerData: { vars } });
  const publisher: Publisher = { thread, busy: false };
  thread.on("message", (word: Word) => {
    if (word.what === "nudge") nudge(word.ids, word.delaySeconds);
    else if (word.what === "trouble") troubles.push(word.line);
    else publisher.busy = false;
  });
  thread.on("error", (error) => {
    troubles.push(String(error));
    publisher.busy = false;
  });
  return publisher;
}

function cronWorld(
  vars: Record<string, string>,
  nudge: (ids: string[], delaySeconds: number) => void,
  now: () => number,
) {
  const DELIVERIES = {
    async send({ deliveryIds }: DeliveryNudge, { delaySeconds = 0 }: { delaySeconds?: number } = {}) {
      nudge(deliveryIds, delaySeconds);
    },
  };
  const world = openWorld({ ...vars, DELIVERIES }, `cron.${crypto.randomUUID()}`, (work) => void work);
  return { ...world, clock: () => new Date(now()) };
}
