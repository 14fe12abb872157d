// The response headers of rate limits: RateLimit-Policy and RateLimit, after the IETF draft "RateLimit header fields for HTTP".

/** A quota of requests in a fixed window. */
export interface LimitPolicy {
  name: string;
  policy: { quota: number; windowSeconds: number };
}

/** The state of one rate limit: what is left of its quota, and the seconds until its window ends. */
export interface RemainingQuota extends LimitPolicy {
  remaining: number;
  resetSeconds: number;
}

/** The headers when only the policies are known, because nothing was consumed. */
export function buildPolicyHeaders(limits: LimitPolicy[]): Record<string, string> {
  const policies = limits.map(({ name, policy }) => `"${name}";q=${policy.quota};w=${policy.windowSeconds}`);
  return { "RateLimit-Policy": policies.join(", ") };
}

export function buildRateLimitHeaders(limits: RemainingQuota[]): Record<string, string> {
  const states = limits.map(({ name, remaining, resetSeconds }) => `"${name}";r=${remaining};t=${resetSeconds}`);
  return { ...buildPolicyHeaders(limits), RateLimit: states.join(", ") };
}
