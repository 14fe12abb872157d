// The clock of refreshes: how long one may take, how long one invocation works on it, when to look again.

/** A refresh that is not done by then ends `failed` with a reason. */
export const DEADLINE_MS = 6 * 60 * 60 * 1000;

/** A refresher that is silent for this long is presumed dead. Every page begins it anew. */
export const LEASE_MS = 2 * 60_000;

/** One invocation has a limited number of subrequests; a longer refresh goes on in another one. */
export const PAGES_AT_MOST = 25;

/** Attempts in a row that bring no page. */
export const ATTEMPTS_AT_MOST = 8;

/** In one invocation, and so in one message; the platform allows six connections to wait for an answer. */
export const REFRESHES_AT_ONCE = 4;
