// The clock of publishing: when a delivery is due, how long a step may take, when to try again, when to give up.

/** Within this much of now a post counts as "at once". */
export const NOW_TOLERANCE_MS = 30_000;

/** A delivery that is not out this long after it was due ends `failed` with a reason. */
export const DEADLINE_AFTER_DUE_MS = 24 * 60 * 60 * 1000;

/** A publisher that is silent for this long is presumed dead. Every checkpoint and heartbeat begins it anew. */
export const LEASE_MS = 60_000;
export const HEARTBEAT_MS = 20_000;

/** The irreversible call is not made with less of the lease left than this. */
export const ARM_MARGIN_MS = 20_000;

/** A lost call may still arrive; "not published" is believed only this long after it was made. */
export const BELIEVE_AFTER_MS = 60_000;

export const ATTEMPTS_AT_MOST = 5;

const PATIENCE_MS = { least: 60_000, most: 15 * 60_000 } as const;

/** How long a network is left alone that names no end of its limit: longer, the longer the delivery has been due. */
export function patienceMs(deadlineAt: Date, now: Date): number {
  const waitedMs = now.getTime() - (deadlineAt.getTime() - DEADLINE_AFTER_DUE_MS);
  return Math.min(PATIENCE_MS.most, Math.max(PATIENCE_MS.least, waitedMs / 4));
}

/** The queue carries the last stretch, cron the rest. */
export const NUDGE_WITHIN_MS = 90_000;

/** Doubles from 15 s, with up to a quarter of jitter so that a burst does not come back as a burst. */
export function backoffMs(attempt: number, random: number): number {
  return Math.round(15_000 * 2 ** Math.min(attempt - 1, 8) * (1 + random / 4));
}
