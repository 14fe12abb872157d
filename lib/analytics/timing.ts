// Deadline, lease and limits of refreshes.

/** A refresh that is not done by then ends as `failed`. */
export const DEADLINE_MS = 6 * 60 * 60 * 1000;

/** After this long without a stored page an invocation counts as crashed. Every page renews the lease. */
export const LEASE_MS = 2 * 60_000;

/** Per invocation, because its subrequests are limited; a longer refresh continues in another invocation. */
export const MAX_PAGES = 25;

/** Consecutive attempts that return no page. */
export const MAX_ATTEMPTS = 8;
