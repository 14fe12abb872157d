// Replaces @upstash/core-analytics in the bundle (wrangler.toml, [alias]), which saves 1.5 KiB: the rate limiter constructs it
// only with `analytics: true`, which nothing here sets.
export function Analytics(): never {
  throw new Error("The analytics of @upstash/ratelimit are not part of the bundle.");
}
