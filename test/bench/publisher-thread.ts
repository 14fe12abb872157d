// A publisher as a thread: serves one batch of the queue at a time, and can be killed in the middle of everything.
import { parentPort, workerData } from "node:worker_threads";
import { openWorld } from "../../lib/call.ts";
import type { DeliveryNudge } from "../../lib/env.ts";
import { publishDue } from "../../lib/publishing/publisher.ts";

/** A batch: what it names, and how far the clock of the bench is ahead of the machine's. */
export interface Batch {
  ids: string[];
  aheadMs: number;
}

export type Word =
  | { what: "nudge"; ids: string[]; delaySeconds: number }
  | { what: "trouble"; line: string }
  | { what: "done" };

const say = (word: Word) => parentPort?.postMessage(word);
const pending = new Set<Promise<unknown>>();
let aheadMs = 0;

const DELIVERIES = {
  async send({ deliveryIds }: DeliveryNudge, { delaySeconds = 0 }: { delaySeconds?: number } = {}) {
    say({ what: "nudge", ids: deliveryIds, delaySeconds });
  },
};
const world = openWorld({ ...workerData.vars, DELIVERIES }, `queue.${crypto.randomUUID()}`, (work) => {
  pending.add(work);
});
world.clock = () => new Date(Date.now() + aheadMs);
world.log = (line) => say({ what: "trouble", line: JSON.stringify(line) });

parentPort?.on("message", async (batch: Batch) => {
  aheadMs = batch.aheadMs;
  try {
    await publishDue(world, batch.ids);
    await Promise.all(pending);
    pending.clear();
  } catch (error) {
    // As with the real queue: the batch is dropped, and cron finds again what it named.
    say({ what: "trouble", line: String(error) });
  }
  say({ what: "done" });
});
