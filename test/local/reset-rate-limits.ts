import { connectRedis } from "./redis-client.ts";

/** Makes every rate limit of a local stack unused. */
export async function resetRateLimits(vars: Record<string, string>): Promise<void> {
  const redis = connectRedis(vars.UPSTASH_REDIS_REST_URL ?? "", vars.UPSTASH_REDIS_REST_TOKEN ?? "");
  const keys = await redis.keys("limit:*");
  if (keys.length > 0) await redis.del(...keys);
}
