// The time until a failed job is tried again, and how often a job is claimed without progress.

interface BackoffOptions {
  firstMs: number;
  mostMs: number;
}

/** Doubles with every attempt, from 15 s to an hour. */
const DEFAULT: BackoffOptions = { firstMs: 15_000, mostMs: 64 * 60_000 };

/** Doubles from `firstMs` to `mostMs`, plus up to 25 % jitter to spread the retries of a burst. `random` is in [0, 1). */
export function backoffMs(attempt: number, random: number, { firstMs, mostMs }: BackoffOptions = DEFAULT): number {
  return Math.round(Math.min(mostMs, firstMs * 2 ** (attempt - 1)) * (1 + random / 4));
}

/**
 * Quarantine: a job that workers claimed so often without progress may be what ends them. It runs alone, and after more
 * claims it ends with an error.
 */
export const MAX_CLAIMS = { shared: 2, alone: 5 } as const;
