// Time limits of publishing: tolerance, deadline, lease, grace period and rate limits.
import { DAY_MS } from "../shared/durations.ts";

/** A scheduled time within this distance of now counts as now. */
export const NOW_TOLERANCE_MS = 30_000;

/** A delivery that is not published this long after its due time fails with a reason. */
export const DEADLINE_AFTER_DUE_MS = DAY_MS;

/** Media posts are prepared this long before they are due: uploads, containers and their processing take minutes. */
export const PREPARE_AHEAD_MS = 10 * 60_000;

/** A prepared post is published without another check for this long; the shortest-lived upload lasts an hour. */
export const READY_FOR_MS = 30 * 60_000;

/** A worker without a checkpoint or heartbeat for this long is presumed dead. */
export const LEASE_MS = 60_000;

/** The irreversible call is made only if at least this much of the lease remains. */
export const ARM_MARGIN_MS = 20_000;

/** And only if the invocation may send this many more requests: more than the last step of any network. */
export const ARM_MARGIN_REQUESTS = 300;

/** "Not published" counts only this long after the call, because a lost call may still arrive. */
export const NOT_PUBLISHED_GRACE_MS = 60_000;

export const MAX_ATTEMPTS = 5;

const RATE_LIMIT_BACKOFF_MS = { least: 60_000, most: 15 * 60_000 } as const;

/** Backoff for a rate limit without a reset time: a quarter of the time since the delivery was due, within bounds. */
export function rateLimitBackoffMs(deadlineAt: Date, now: Date): number {
  const waitedMs = now.getTime() - (deadlineAt.getTime() - DEADLINE_AFTER_DUE_MS);
  return Math.min(RATE_LIMIT_BACKOFF_MS.most, Math.max(RATE_LIMIT_BACKOFF_MS.least, waitedMs / 4));
}
