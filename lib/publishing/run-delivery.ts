// The interpreter of the table: calls the network, takes the step for what happened, and stores it, until a step ends the attempt.
import type { DueDelivery } from "../queries/due-accounts.ts";
import { type CallFacts, type Delivery, type DeliveryEvent, toFailureEvents } from "./delivery-events.ts";
import { type Step, takeStep } from "./delivery-step.ts";

/** An attempt calls these outside of this process; the property tests have an implementation in memory. */
export interface AttemptPorts {
  /** Finds the reasons why the delivery cannot continue; empty if there are none. */
  findObstacles(delivery: Delivery): Promise<DeliveryEvent[]>;
  /**
   * Makes the call of the delivery's phase. No events: the token was refreshed, call again. Null: the lease was lost.
   * `account` has the refreshed token.
   */
  call(delivery: Delivery): Promise<{ events: DeliveryEvent[]; account: Delivery["account"] } | null>;
  getFacts(): CallFacts;
  /** Stores a step; the last one ends the lease, and what is due next comes back. Null: the lease was lost. */
  store(delivery: Delivery, step: Step): Promise<DueDelivery[] | null>;
  /** Ends the lease of a delivery whose step could not be stored, and returns what is due. */
  recover(delivery: Delivery): Promise<DueDelivery[]>;
  /** Reports an error of this service. */
  logError(delivery: Delivery, error: unknown): void;
}

/** Returns what is due after the attempt. When its last step cannot be stored, the next worker continues from the row. */
export async function runDelivery(ports: AttemptPorts, opened: Delivery): Promise<DueDelivery[]> {
  let delivery = opened;
  let events: DeliveryEvent[] | null = await ports.findObstacles(delivery);
  // Without a lease another worker has taken over.
  while (events) {
    const [event, ...later]: DeliveryEvent[] = events;
    if (!event) {
      const called = await ports.call(delivery);
      if (!called) return [];
      delivery = { ...delivery, account: called.account };
      events = called.events;
      continue;
    }
    const step = takeStep(delivery, event, ports.getFacts());
    try {
      const due = await ports.store(delivery, step);
      if (step.isLast) return due ?? [];
      events = due && later;
      delivery = step.delivery;
    } catch (error) {
      ports.logError(delivery, error);
      if (step.isLast) return ports.recover(delivery);
      // The handle finds again a post that the network has accepted.
      if (delivery.phase === "publishing") delivery = { ...delivery, handle: step.delivery.handle };
      events = toFailureEvents(delivery, null, ports.getFacts());
    }
  }
  return [];
}
