// Delivers the messages that a publisher enqueues to itself, each when it is due by the simulated clock.
import { publishDue } from "../../lib/publishing/publish-due.ts";
import type { WorkKind } from "../../lib/shared/work-kinds.ts";
import type { TestPublisher } from "../support/harness.ts";

interface Message {
  ids: string[];
  kind: WorkKind | undefined;
  at: number;
}

/** Runs until no message is due before `until`. `begin` is called before each, as an invocation of its own begins. */
export async function runQueue(publisher: TestPublisher, until: Date, begin = () => {}): Promise<void> {
  const { services, enqueuedDeliveries, advance } = publisher;
  const waiting: Message[] = [];
  const now = () => services.clock().getTime();
  for (;;) {
    for (const { deliveryIds, kind, delaySeconds } of enqueuedDeliveries.splice(0)) {
      waiting.push({ ids: deliveryIds, kind, at: now() + delaySeconds * 1000 });
    }
    waiting.sort((a, b) => a.at - b.at);
    const next = waiting.shift();
    if (!next || next.at > until.getTime()) return;
    advance(Math.max(0, next.at - now()));
    begin();
    await publishDue(services, next.ids, next.kind);
  }
}
