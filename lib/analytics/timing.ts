// Deadline, lease and limits of refreshes.
import { HOUR_MS } from "../shared/durations.ts";

/** A refresh that is not done by then ends as `failed`. */
export const DEADLINE_MS = 6 * HOUR_MS;

/** After this long without a stored page an invocation counts as crashed. Every page renews the lease. */
export const LEASE_MS = 2 * 60_000;

/** Per invocation, because its subrequests are limited; a longer refresh continues in another invocation. */
export const MAX_PAGES = 25;

/** Consecutive attempts that return no page. */
export const MAX_ATTEMPTS = 8;
