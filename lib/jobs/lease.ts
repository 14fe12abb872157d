// Holds the lease of a job while it runs: a heartbeat extends it, and losing it aborts open requests.
import type { Services } from "../services/context.ts";
import { formatError } from "../shared/format-error.ts";
import { withHeartbeat } from "../shared/heartbeat.ts";

export interface Lease {
  /** Aborted when the lease is lost, because another worker may continue the job. */
  signal: AbortSignal;
  isHeld(): boolean;
  /** Milliseconds until another worker may claim the job. */
  remainingMs(): number;
  /** Extends the lease from now and returns its end; the next checkpoint stores it. */
  renew(): Date;
  /** The end as it was last stored, or as the next checkpoint stores it. */
  until(): Date;
}

export interface LeasedJob {
  readonly id: string;
  readonly leaseUntil: Date;
}

interface LeaseRules {
  leaseMs: number;
  /** Stores the new end; false if the lease was lost. */
  extend(until: Date): Promise<boolean>;
}

/** Heartbeats per lease: one may be lost. */
export const HEARTBEATS_PER_LEASE = 3;

export function withLease<Result>(
  services: Pick<Services, "clock" | "log">,
  job: LeasedJob,
  { leaseMs, extend }: LeaseRules,
  work: (lease: Lease) => Promise<Result>,
): Promise<Result> {
  const lost = new AbortController();
  let end = job.leaseUntil;
  const getEnd = () => new Date(services.clock().getTime() + leaseMs);
  const lease: Lease = {
    signal: lost.signal,
    isHeld: () => !lost.signal.aborted,
    remainingMs: () => end.getTime() - services.clock().getTime(),
    renew() {
      end = getEnd();
      return end;
    },
    until: () => end,
  };
  const beat = async () => {
    const until = getEnd();
    try {
      if (await extend(until)) end = until;
      else lost.abort();
    } catch (error) {
      services.log({ level: "error", id: job.id, outcome: "heartbeat_failed", error: formatError(error) });
      if (lease.remainingMs() <= 0) lost.abort();
    }
  };
  return withHeartbeat(leaseMs / HEARTBEATS_PER_LEASE, beat, () => work(lease));
}
