// The lease of a delivery while a publisher works on it: renewed by a heartbeat, and what hangs on it ends when it is lost.
import type { World } from "../call.ts";
import { describeError } from "../describe-error.ts";
import * as deliveries from "../queries/deliveries.ts";
import { HEARTBEAT_MS, LEASE_MS } from "./timing.ts";

export interface Lease {
  /** Aborted when the lease is lost: whatever is on the wire then is somebody else's to finish. */
  signal: AbortSignal;
  held(): boolean;
  /** Milliseconds until others may take over. */
  left(): number;
  /** The end of a lease that begins now; a checkpoint writes it. */
  renewed(): Date;
}

type Io = Pick<World, "db" | "clock" | "log">;

export async function withLease<Result>(
  io: Io,
  claimed: deliveries.Claimed,
  work: (lease: Lease) => Promise<Result>,
): Promise<Result> {
  const gone = new AbortController();
  const renewed = () => {
    claimed.leaseUntil = new Date(io.clock().getTime() + LEASE_MS);
    return claimed.leaseUntil;
  };
  const lease: Lease = {
    signal: gone.signal,
    held: () => !gone.signal.aborted,
    left: () => claimed.leaseUntil.getTime() - io.clock().getTime(),
    renewed,
  };
  const beat = async () => {
    const until = new Date(io.clock().getTime() + LEASE_MS);
    try {
      if (await deliveries.extendLease(io.db, claimed, until)) claimed.leaseUntil = until;
      else gone.abort();
    } catch (error) {
      io.log({ level: "error", delivery: claimed.id, error: describeError(error) });
      if (lease.left() <= 0) gone.abort();
    }
  };
  const timer = setInterval(() => void beat(), HEARTBEAT_MS);
  try {
    return await work(lease);
  } finally {
    clearInterval(timer);
  }
}
