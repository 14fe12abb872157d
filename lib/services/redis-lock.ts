// The lock on Redis: a key with the name of its holder, which expires unless it is renewed. It only saves work: a change that
// must not happen twice is claimed in the database. `@upstash/lock` (0.2.1) fails when Redis does, and reads no stored result.
import { formatError } from "../shared/format-error.ts";
import { withHeartbeat } from "../shared/heartbeat.ts";
import type { Services } from "./context.ts";

/** Reads the result that an earlier holder has stored, or else acquires the lock. */
const ACQUIRE_SCRIPT = `
local stored = KEYS[2] and redis.call('GET', KEYS[2])
if stored then return {'stored', stored} end
if redis.call('SET', KEYS[1], ARGV[1], 'NX', 'PX', ARGV[2]) then return {'acquired', ''} end
return {'taken', ''}
`;

/** Renews the holder's lock for ARGV[2] milliseconds; 0 releases it. */
const RENEW_SCRIPT = `
if redis.call('GET', KEYS[1]) ~= ARGV[1] then return 0 end
if ARGV[2] == '0' then return redis.call('DEL', KEYS[1]) end
return redis.call('PEXPIRE', KEYS[1], ARGV[2])
`;

type LockServices = Pick<Services, "redis" | "log" | "waitUntil">;

export interface RedisLock {
  /** Renews the lock three times per lifetime while the work runs, and releases it in the background. */
  hold<Result>(work: () => Promise<Result>): Promise<Result>;
  release(): Promise<unknown>;
}

/** Null while another holds the lock. */
export async function acquireLock(services: LockServices, name: string, lifetimeMs: number): Promise<RedisLock | null> {
  const acquired = await readOrLock(services, name, lifetimeMs);
  return acquired && "lock" in acquired ? acquired.lock : null;
}

/**
 * Returns the value that is stored under `storedKey`, or else the lock, in one round trip; null while another holds it.
 * When Redis fails everybody gets the lock: doing the work twice is better than not at all.
 */
export async function readOrLock(
  services: LockServices,
  name: string,
  lifetimeMs: number,
  storedKey?: string,
): Promise<{ stored: string } | { lock: RedisLock } | null> {
  const { redis, log, waitUntil } = services;
  const holder = crypto.randomUUID();
  const keys = storedKey === undefined ? [name] : [name, storedKey];
  const renew = (ms: number) => redis.eval(RENEW_SCRIPT, [name], [holder, String(ms)]);
  const lock: RedisLock = {
    async hold(work) {
      try {
        return await withHeartbeat(lifetimeMs / 3, () => waitUntil(renew(lifetimeMs)), work);
      } finally {
        waitUntil(renew(0));
      }
    },
    release: () => renew(0),
  };
  try {
    const args = [holder, String(lifetimeMs)];
    const [state, stored] = await redis.eval<string[], [string, string]>(ACQUIRE_SCRIPT, keys, args);
    if (state === "stored") return { stored };
    return state === "acquired" ? { lock } : null;
  } catch (error) {
    log({ level: "error", error: formatError(error) });
    return { lock };
  }
}
