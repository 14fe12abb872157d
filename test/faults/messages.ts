// The queues of deliveries with their faults, their consumers and cron, under the suite's clock: consumers are killed in
// the middle of an invocation, and messages arrive twice or never.
import { vi } from "vitest";
import { enqueueDueDeliveries } from "../../functions/cron/deliveries.ts";
import { consumeDeadLetters } from "../../functions/queue/dead-letters.ts";
import { consumeDeliveries } from "../../functions/queue/deliveries.ts";
import type { Services } from "../../lib/services/context.ts";
import type { WorkKind } from "../../lib/shared/work-kinds.ts";
import { createSimulatedQueue, type QueuedMessage, type SimulatedQueue, toBatch } from "../support/queue.ts";
import type { Case } from "./cases.ts";
import type { ExternalServices } from "./external-services.ts";
import { type FaultyServices, injectFault } from "./fault-injection.ts";
import { findDueTimes, forEachConcurrently, type Running } from "./run-cases.ts";

/** As in wrangler.toml. */
const [MAX_RETRIES, RETRY_DELAY_MS, CRON_INTERVAL_MS] = [3, 10_000, 60_000];
/** Messages due within this time of each other are consumed in one round. */
const ROUND_MS = 2_000;

/** Deliveries of one message, whose consumer has the plan of the cases. */
export interface Group {
  cases: Case[];
  kind: WorkKind;
  /** Number of consumers with the plan: the message is repeated after each that was killed. */
  faultyConsumers: number;
  /** True when a message is lost. `nth` counts those of the group from 0; cron sends messages of its own, which arrive. */
  loses(nth: number): boolean;
}

interface RunningGroup extends Group {
  queue: SimulatedQueue;
  /** Messages so far, lost ones included. */
  sent: number;
  /** The first of the consumers that have the plan. */
  firstWorker: FaultyServices | null;
  /** Consumers that were given the plan. */
  faulty: number;
  copies: Promise<void>[];
}

export interface GroupRun {
  running: Running[];
  sent: number;
}

/** Runs until no delivery has anything left to do, or at most `lastsMs`. */
export async function runMessages(
  base: Services,
  external: ExternalServices,
  groups: readonly Group[],
  lastsMs: number,
): Promise<GroupRun[]> {
  const now = () => Date.now();
  const end = now() + lastsMs;
  const all = groups.map((group): RunningGroup => {
    const queue = createSimulatedQueue(now);
    const state: RunningGroup = { ...group, queue, sent: 0, firstWorker: null, faulty: 0, copies: [] };
    send(state, group.cases.map(toDeliveryId), { kind: group.kind });
    return state;
  });
  const byDelivery = new Map(all.flatMap((group) => group.cases.map((one) => [one.deliveryId, group] as const)));
  let nextCron = now() + CRON_INTERVAL_MS;

  for (;;) {
    const nextMessage = Math.min(...all.map(({ queue }) => queue.nextAt()));
    const isEmpty = nextMessage === Number.POSITIVE_INFINITY;
    const open = await findDueTimes(base, [...byDelivery.keys()]);
    if (isEmpty && open.size === 0) break;
    // Until something is due, cron runs in vain.
    if (isEmpty) nextCron = Math.max(nextCron, Math.min(...open.values()) - CRON_INTERVAL_MS);
    const next = Math.min(nextCron, nextMessage);
    if (next > end) break;
    vi.setSystemTime(Math.max(now(), next) + ROUND_MS);
    if (now() >= nextCron) await runCron();
    const due = all.flatMap((group) => group.queue.takeDue().map((message) => ({ group, message })));
    await forEachConcurrently(due, ({ group, message }) => deliver(group, message));
  }
  return all.map((group) => {
    const publisher = group.firstWorker ?? injectPlan(group);
    return { running: group.cases.map((one) => ({ ...one, publisher })), sent: group.sent };
  });

  function send(group: RunningGroup, ...message: Parameters<SimulatedQueue["send"]>): void {
    if (!group.loses(group.sent)) group.queue.send(...message);
    group.sent += 1;
  }

  /** Its messages always arrive: a lost one is sent again by the next run. */
  async function runCron(): Promise<void> {
    nextCron = now() + CRON_INTERVAL_MS;
    const enqueueDeliveries: Services["enqueueDeliveries"] = (ids, delaySeconds, kind) => {
      for (const id of ids) byDelivery.get(id)?.queue.send([id], { kind, delayMs: delaySeconds * 1000 });
    };
    await enqueueDueDeliveries({ ...base, enqueueDeliveries });
  }

  function openServices(group: RunningGroup): Services {
    const enqueueDeliveries: Services["enqueueDeliveries"] = (ids, delaySeconds, kind) =>
      send(group, ids, { kind, delayMs: delaySeconds * 1000 });
    return { ...base, enqueueDeliveries };
  }

  function injectPlan(group: RunningGroup): FaultyServices {
    const copy = { ids: group.cases.map(toDeliveryId), kind: group.kind, at: now(), attempts: 1 };
    return injectFault(openServices(group), external, group.cases[0]?.plan ?? null, {
      scheduleLate: () => undefined,
      hasOneDelivery: false,
      deliverCopy() {
        const copied = consume(openServices(group), copy);
        group.copies.push(copied);
        return copied;
      },
    });
  }

  /** The platform repeats the message of a consumer that failed or ended; in the end it is a dead letter. */
  async function deliver(group: RunningGroup, message: QueuedMessage): Promise<void> {
    const isDone =
      group.faulty < group.faultyConsumers ? consumeWithPlan(group, message) : consumeSafely(group, message);
    if (await isDone) return;
    if (message.attempts > MAX_RETRIES) return consumeDeadLetters(openServices(group), toBatch([message]));
    const { ids, kind = group.kind, attempts } = message;
    send(group, ids, { kind, delayMs: RETRY_DELAY_MS, attempts: attempts + 1 });
  }

  async function consumeWithPlan(group: RunningGroup, message: QueuedMessage): Promise<boolean> {
    const worker = injectPlan(group);
    group.firstWorker ??= worker;
    group.faulty += 1;
    const isDone = await Promise.race([isFulfilled(consume(worker.services, message)), worker.died.then(() => false)]);
    await Promise.all(group.copies);
    return isDone;
  }

  function consumeSafely(group: RunningGroup, message: QueuedMessage): Promise<boolean> {
    return isFulfilled(consume(openServices(group), message));
  }
}

function isFulfilled(work: Promise<void>): Promise<boolean> {
  return work.then(
    () => true,
    () => false,
  );
}

function consume(services: Services, message: QueuedMessage): Promise<void> {
  return consumeDeliveries(services, toBatch([message]));
}

function toDeliveryId({ deliveryId }: Case): string {
  return deliveryId;
}
