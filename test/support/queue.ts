// The queues of the Worker in tests: a binding that collects messages, and a queue whose messages wait for a clock.
import { publishDue } from "../../lib/publishing/publish-due.ts";
import type { DeliveriesMessage } from "../../lib/services/env.ts";
import type { WorkKind } from "../../lib/shared/work-kinds.ts";
import type { TestPublisher } from "./harness.ts";

/** A queue binding that hands each message of a batch to `collect`, with the delay of the batch. */
export function createQueue<Message>(collect: (sent: Message & { delaySeconds: number }) => void) {
  return {
    async sendBatch(messages: { body: Message }[], { delaySeconds = 0 }: { delaySeconds?: number } = {}) {
      for (const { body } of messages) collect({ ...body, delaySeconds });
    },
  };
}

export interface QueuedMessage {
  ids: string[];
  kind?: WorkKind | undefined;
  at: number;
  /** Number of deliveries of the message, this one included. */
  attempts: number;
}

export type SimulatedQueue = ReturnType<typeof createSimulatedQueue>;

/** A queue of deliveries whose messages are due by `now`. */
export function createSimulatedQueue(now: () => number) {
  /** By time; messages of one moment keep the order in which they were sent. */
  const waiting: QueuedMessage[] = [];
  return {
    send(ids: string[], { kind, delayMs = 0, attempts = 1 }: { kind?: WorkKind; delayMs?: number; attempts?: number }) {
      const message = { ids, kind, at: now() + delayMs, attempts };
      waiting.splice(waiting.findLastIndex(({ at }) => at <= message.at) + 1, 0, message);
    },
    takeDue(limit = Number.POSITIVE_INFINITY): QueuedMessage[] {
      const firstLater = waiting.slice(0, limit).findIndex(({ at }) => at > now());
      return waiting.splice(0, firstLater < 0 ? Math.min(limit, waiting.length) : firstLater);
    },
    /** When the next message is due; infinite when none waits. */
    nextAt: () => waiting[0]?.at ?? Number.POSITIVE_INFINITY,
  };
}

/** Messages as a consumer of the platform gets them. */
export function toBatch(messages: readonly QueuedMessage[]): MessageBatch<DeliveriesMessage> {
  const batch = messages.map(({ ids, kind, attempts }) => {
    const body: DeliveriesMessage = { deliveryIds: ids, ...(kind === undefined ? {} : { kind }) };
    return { id: "message", timestamp: new Date(), attempts, body };
  });
  return { messages: batch } as unknown as MessageBatch<DeliveriesMessage>;
}

/** Runs what a publisher enqueues to itself until no message is due before `until`. `begin` is called before each. */
export async function runQueue(publisher: TestPublisher, until: Date, begin = () => {}): Promise<void> {
  const { services, enqueuedDeliveries, advance } = publisher;
  const now = () => services.clock().getTime();
  const queue = createSimulatedQueue(now);
  for (;;) {
    for (const { deliveryIds, kind, delaySeconds } of enqueuedDeliveries.splice(0)) {
      queue.send(deliveryIds, { ...(kind === undefined ? {} : { kind }), delayMs: delaySeconds * 1000 });
    }
    if (queue.nextAt() > until.getTime()) return;
    advance(Math.max(0, queue.nextAt() - now()));
    const [next] = queue.takeDue(1);
    if (!next) return;
    begin();
    await publishDue(services, next.ids, next.kind);
  }
}
