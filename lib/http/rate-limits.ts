// Rate limits: policies as data, consumed in Redis, and reported in the headers of every response of a limited operation.

import { consumeFromWindow, peekWindow, type Redis } from "../services/redis.ts";
import { DAY_SECONDS } from "../shared/durations.ts";
import { type ApiError, apiError } from "../shared/errors.ts";
import { buildPolicyHeaders, buildRateLimitHeaders, type RemainingQuota } from "../shared/rate-limit-headers.ts";

interface RateLimitPolicy {
  quota: number;
  windowSeconds: number;
  /** The quota is shared by the requests of a customer, of one of its grants, or by all. */
  per: "customer" | "grant" | "everyone";
}

/**
 * Whose windows are consumed: those of a customer, or of one and a grant. `everyone` in place of what all callers share: live
 * customers share it among themselves, and test mode takes nothing of it.
 */
export type Subject = string | { customer: string; grant: string; everyone?: string };

export const POLICIES = {
  // Each start reserves storage until its upload expires.
  file_starts: { quota: 600, windowSeconds: 60, per: "customer" },
  // Each reads up to 5 GiB. As many as starts, so that only repeats can exceed it.
  file_finalizes: { quota: 600, windowSeconds: 60, per: "customer" },
  // Each renders up to 35 slides, in seconds of CPU.
  renders: { quota: 60, windowSeconds: 60, per: "customer" },
  // Each link lets a person without an account here start connections at the networks.
  connect_links: { quota: 60, windowSeconds: 60, per: "customer" },
  // Each may ask the network of an account, which has a limit of its own in lib/publishing/account-options.ts.
  account_options: { quota: 300, windowSeconds: 60, per: "customer" },
  // URLs of other hosts that we fetch: a slideshow has up to 840 images, and three of them may be rendered in a minute.
  outside_urls: { quota: 3_000, windowSeconds: 60, per: "customer" },
  // Each validates a draft against every account; batches of hundreds are usual.
  post_checks: { quota: 600, windowSeconds: 60, per: "customer" },
  // Each calls up to ten networks, while the caller waits.
  published_changes: { quota: 120, windowSeconds: 60, per: "customer" },
  // Each advance may work for 20 seconds, each reset deletes all rows of a test scope.
  sandbox_changes: { quota: 300, windowSeconds: 60, per: "customer" },
  // Each is billed by the provider of the language model.
  generations: { quota: 120, windowSeconds: 60, per: "customer" },
  // The viral library is licensed per read. A search also consumes its `limit` of the daily results.
  viral_searches: { quota: 20, windowSeconds: 60, per: "customer" },
  viral_searches_daily: { quota: 200, windowSeconds: DAY_SECONDS, per: "customer" },
  viral_results_daily: { quota: 2_000, windowSeconds: DAY_SECONDS, per: "customer" },
  viral_searches_shared: { quota: 300, windowSeconds: 60, per: "everyone" },
  viral_posts: { quota: 60, windowSeconds: 60, per: "customer" },
  viral_posts_daily: { quota: 300, windowSeconds: DAY_SECONDS, per: "customer" },
  viral_posts_shared: { quota: 900, windowSeconds: 60, per: "everyone" },
  viral_transcripts: { quota: 30, windowSeconds: 60, per: "customer" },
  viral_transcripts_daily: { quota: 100, windowSeconds: DAY_SECONDS, per: "customer" },
  viral_transcripts_shared: { quota: 300, windowSeconds: 60, per: "everyone" },
  // Per browser in which the person has signed in before, and per email address in all others, so that nobody else uses up
  // what a person needs. Each stores a code, which is bounded per address of the network, which many people share.
  sign_in_codes: { quota: 10, windowSeconds: 3_600, per: "customer" },
  sign_in_codes_elsewhere: { quota: 20, windowSeconds: 3_600, per: "customer" },
  sign_in_codes_network: { quota: 300, windowSeconds: 3_600, per: "customer" },
  // Per code in the browser that asked for it, and per address in all others. With 20 codes an hour, others have 90
  // guesses of a million; at most 100 an hour: https://owasp.org/www-project-application-security-verification-standard/ 4.0.3, V2.2.1.
  sign_in_attempts: { quota: 3, windowSeconds: 3_600, per: "customer" },
  sign_in_attempts_elsewhere: { quota: 30, windowSeconds: 3_600, per: "customer" },
  // Per address of the network, which many people share: each stores a challenge.
  passkey_challenges: { quota: 300, windowSeconds: 3_600, per: "customer" },
  // Of each grant over all operations that are limited, so that one app does not use up what its customer has.
  grant_operations: { quota: 300, windowSeconds: 60, per: "grant" },
  // Of OAuth, per address of the network. Each registration stores a client; each of the others asks the database for a token.
  oauth_registrations: { quota: 60, windowSeconds: 3_600, per: "customer" },
  oauth_requests: { quota: 600, windowSeconds: 60, per: "customer" },
  // Per person: each fetches the description of a client from its host.
  oauth_consents: { quota: 120, windowSeconds: 3_600, per: "customer" },
  // Mails to people of other workspaces, who did not ask for them.
  invitations: { quota: 50, windowSeconds: DAY_SECONDS, per: "customer" },
} as const satisfies Record<string, RateLimitPolicy>;

export type PolicyName = keyof typeof POLICIES;

/** The amount of each policy that one request consumes; 1 by default. With 0, the policy is neither consumed nor checked. */
export type Costs = Partial<Record<PolicyName, number>>;

export interface RateLimitResult {
  headers: Record<string, string>;
  error: ApiError | null;
  /** Returns everything that was consumed; used when the request is rejected with 401, 402 or 403. */
  refund(): Promise<unknown>;
}

/** Consumes every policy with a cost, in one round trip unless one is exceeded. Windows are fixed, so that the reported reset is exact. */
export async function consumeRateLimits(
  redis: Redis,
  names: readonly PolicyName[],
  subject: Subject,
  now: Date,
  costs: Costs,
): Promise<RateLimitResult> {
  const consume = async (name: PolicyName, cost: number) => {
    const policy: RateLimitPolicy = POLICIES[name];
    const window = await consumeFromWindow(redis, `limit:${name}`, policy, getSubject(policy, subject), cost);
    return { ...toRemaining(name, window, now), name, success: window.success };
  };
  const consumedNames = names.filter((name) => costs[name] !== 0);
  const shared = consumedNames.filter((name) => POLICIES[name].per === "everyone");
  const refund = (refunded: PolicyName[]) => Promise.all(refunded.map((name) => consume(name, -(costs[name] ?? 1))));

  const consumed = await Promise.all(consumedNames.map((name) => consume(name, costs[name] ?? 1)));
  // A caller who exceeds a limit of their own consumes nothing of the limits that all callers share.
  const exceedsOwn = consumed.some(({ name, success }) => !success && !shared.includes(name));
  const refunded = exceedsOwn ? await refund(shared).catch(() => []) : [];
  const results = consumed.map((result) => refunded.find(({ name }) => name === result.name) ?? result);
  const notRefunded = consumedNames.filter((name) => !exceedsOwn || !shared.includes(name));
  return {
    headers: { ...(results.length > 0 ? buildRateLimitHeaders(results) : {}), ...listPolicyHeaders(names) },
    error: toRateLimitError(results.filter(({ success }) => !success)),
    refund: () => refund(notRefunded),
  };
}

/** Names the exceeded limit that takes longest to reset. */
function toRateLimitError(exceeded: RemainingQuota[]): ApiError | null {
  const [longest] = exceeded.sort((a, b) => b.resetSeconds - a.resetSeconds);
  if (!longest) return null;
  const { quota, windowSeconds } = longest.policy;
  const message = `The rate limit "${longest.name}" of ${quota} per ${windowSeconds} s is exceeded. Retry after the time in Retry-After.`;
  return apiError("rate_limited", message, { retry_after_seconds: longest.resetSeconds });
}

/** The headers of a request that is rejected before it consumes anything. */
export async function peekRateLimits(
  redis: Redis,
  names: readonly PolicyName[],
  subject: Subject,
  now: Date,
): Promise<Record<string, string>> {
  return buildRateLimitHeaders(await readRemaining(redis, names, subject, now));
}

/** Returns the remaining quota of each limit, in the order of the names. */
export function readRemaining(
  redis: Redis,
  names: readonly PolicyName[],
  subject: Subject,
  now: Date,
): Promise<RemainingQuota[]> {
  const read = async (name: PolicyName) => {
    const policy: RateLimitPolicy = POLICIES[name];
    return toRemaining(name, await peekWindow(redis, `limit:${name}`, policy, getSubject(policy, subject)), now);
  };
  return Promise.all(names.map(read));
}

function getSubject({ per }: RateLimitPolicy, subject: Subject): string {
  if (typeof subject === "string") return per === "everyone" ? per : subject;
  return subject[per] ?? per;
}

function toRemaining(
  name: PolicyName,
  { remaining, reset }: { remaining: number; reset: number },
  now: Date,
): RemainingQuota {
  const resetSeconds = Math.max(1, Math.ceil((reset - now.getTime()) / 1000));
  return { name, policy: POLICIES[name], remaining: Math.max(0, remaining), resetSeconds };
}

/** The headers before anything is consumed: the policies alone. */
export function listPolicyHeaders(names: readonly PolicyName[]): Record<string, string> {
  return buildPolicyHeaders(names.map((name) => ({ name, policy: POLICIES[name] })));
}
