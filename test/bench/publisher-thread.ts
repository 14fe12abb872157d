// A publisher in a worker thread: processes one queue batch at a time and can be terminated at any point.
import { parentPort, workerData } from "node:worker_threads";
import { publishDue } from "../../lib/publishing/publish-due.ts";
import { openServices } from "../../lib/services/context.ts";
import type { DeliveriesMessage } from "../../lib/services/env.ts";
import { createQueue } from "../support/queue.ts";

/** Ids of deliveries, and how far the simulated clock is ahead of the system clock. */
export interface Batch {
  ids: string[];
  clockOffsetMs: number;
}

export type PublisherMessage =
  | { type: "enqueue"; ids: string[]; delaySeconds: number }
  | { type: "error"; line: string }
  | { type: "done" };

const sendToParent = (message: PublisherMessage) => parentPort?.postMessage(message);
const pending = new Set<Promise<unknown>>();
let clockOffsetMs = 0;

const DELIVERIES = createQueue<DeliveriesMessage>(({ deliveryIds, delaySeconds }) =>
  sendToParent({ type: "enqueue", ids: deliveryIds, delaySeconds }),
);
const services = openServices({ ...workerData.vars, DELIVERIES }, `queue.${crypto.randomUUID()}`, (work) => {
  pending.add(work);
});
services.clock = () => new Date(Date.now() + clockOffsetMs);
services.log = (line) => {
  if (line.level === "error") sendToParent({ type: "error", line: JSON.stringify(line) });
};

parentPort?.on("message", async (batch: Batch) => {
  clockOffsetMs = batch.clockOffsetMs;
  try {
    await publishDue(services, batch.ids);
    await Promise.all(pending);
    pending.clear();
  } catch (error) {
    // A failed batch is dropped and cron enqueues its deliveries again; a real queue would retry it first.
    sendToParent({ type: "error", line: String(error) });
  }
  sendToParent({ type: "done" });
});
