// Holds the lease of a delivery during an attempt: a heartbeat extends it, and losing it aborts open requests.

import * as deliveries from "../queries/deliveries.ts";
import type { Services } from "../services/context.ts";
import { formatError } from "../shared/format-error.ts";
import { HEARTBEAT_MS, LEASE_MS } from "./timing.ts";

export interface Lease {
  /** Aborted when the lease is lost, because another worker may continue the delivery. */
  signal: AbortSignal;
  isHeld(): boolean;
  /** Milliseconds until another worker may claim the delivery. */
  remainingMs(): number;
  /** Extends the lease from now and returns its end; the next checkpoint stores it. */
  renew(): Date;
}

type LeaseServices = Pick<Services, "db" | "clock" | "log">;

export async function withLease<Result>(
  services: LeaseServices,
  claimed: deliveries.ClaimedDelivery,
  work: (lease: Lease) => Promise<Result>,
): Promise<Result> {
  const lost = new AbortController();
  const renew = () => {
    claimed.leaseUntil = new Date(services.clock().getTime() + LEASE_MS);
    return claimed.leaseUntil;
  };
  const lease: Lease = {
    signal: lost.signal,
    isHeld: () => !lost.signal.aborted,
    remainingMs: () => claimed.leaseUntil.getTime() - services.clock().getTime(),
    renew,
  };
  const sendHeartbeat = async () => {
    const until = new Date(services.clock().getTime() + LEASE_MS);
    try {
      if (await deliveries.extendLease(services.db, claimed, until, null)) claimed.leaseUntil = until;
      else lost.abort();
    } catch (error) {
      services.log({ level: "error", delivery: claimed.id, error: formatError(error) });
      if (lease.remainingMs() <= 0) lost.abort();
    }
  };
  const timer = setInterval(() => void sendHeartbeat(), HEARTBEAT_MS);
  try {
    return await work(lease);
  } finally {
    clearInterval(timer);
  }
}
