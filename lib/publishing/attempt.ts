// Runs one attempt at one delivery under a lease, on the database and the network.
import { type Lease, withLease } from "../jobs/lease.ts";
import { type ClaimedDelivery, extendDeliveryLease } from "../queries/deliveries.ts";
import type { DueDelivery } from "../queries/due-accounts.ts";
import type { Services } from "../services/context.ts";
import { type CallFacts, openDelivery } from "./delivery-events.ts";
import { openDeliveryStore } from "./delivery-store.ts";
import { type NetworkServices, openNetwork } from "./network-calls.ts";
import { runDelivery } from "./run-delivery.ts";
import { ARM_MARGIN_MS, ARM_MARGIN_REQUESTS, LEASE_MS } from "./timing.ts";

/** Returns what is due after the attempt: the next check of the delivery, and the next delivery of its account. */
export function attemptDelivery(
  services: NetworkServices & Pick<Services, "metrics">,
  claimed: Readonly<ClaimedDelivery>,
): Promise<DueDelivery[]> {
  const extend = (until: Date) => extendDeliveryLease(services.db, claimed, until, null);
  return withLease(services, claimed, { leaseMs: LEASE_MS, extend }, (lease) => {
    const getFacts = () => readFacts(services, lease);
    const network = openNetwork(services, { lease, getFacts });
    const store = openDeliveryStore(services, lease);
    return runDelivery({ ...network, ...store, getFacts }, openDelivery(claimed));
  });
}

function readFacts({ clock, budget }: Pick<Services, "clock" | "budget">, lease: Lease): CallFacts {
  const remaining = budget.remainingRequests();
  return {
    now: clock(),
    random: Math.random(),
    isOutOfBudget: remaining === 0,
    // Another worker may soon take over this lease, or the platform end this invocation.
    canArm: lease.remainingMs() >= ARM_MARGIN_MS && remaining >= ARM_MARGIN_REQUESTS,
  };
}
