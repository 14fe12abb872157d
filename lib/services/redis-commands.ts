/** The commands that the service sends. functions/build/package-redis.ts leaves the others out of the bundle. */
export const REDIS_COMMANDS = ["eval", "evalsha", "expire", "get", "lpush", "lrange", "ltrim", "ping", "set"] as const;
