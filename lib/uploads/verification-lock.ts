// Allows one verification per upload at a time: each reads the whole object, and an isolate has memory for few.
import type { RequestContext } from "../services/context.ts";
import { apiError } from "../shared/errors.ts";
import { formatError } from "../shared/format-error.ts";

type LockServices = Pick<RequestContext, "redis" | "ids" | "log" | "waitUntil">;

interface LockedWork<Result> {
  work(): Promise<Result>;
  /** The result if another request has produced it by now, else null. */
  findResult(): Promise<Result | null>;
}

/** The lock expires after this time unless its holder renews it, so that a crashed holder does not keep it. */
const LOCK_TTL_MS = 15_000;
const RENEW_INTERVAL_MS = 5_000;

const POLL_MS = 250;
const MAX_POLL_MS = 3_000;
const MAX_WAIT_MS = 60_000;

const RENEW_SCRIPT = `if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('PEXPIRE', KEYS[1], ARGV[2]) end return 0`;
const RELEASE_SCRIPT = `if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('DEL', KEYS[1]) end return 0`;

/** The lock only saves work: two verifications at once are safe. Throws `request_in_progress` after MAX_WAIT_MS. */
export async function withVerificationLock<Result>(
  services: LockServices,
  id: string,
  { work, findResult }: LockedWork<Result>,
): Promise<Result> {
  const [lockKey, holder] = [`verify:${id}`, services.ids()];
  let pause = POLL_MS;
  for (let waited = 0; !(await acquireLock(services, lockKey, holder)); waited += pause) {
    if (waited >= MAX_WAIT_MS) {
      const message = "Another request is verifying this upload. Retry in 10 seconds.";
      throw apiError("request_in_progress", message, { retry_after_seconds: 10 });
    }
    pause = Math.min(pause * 1.5, MAX_POLL_MS);
    await new Promise((resume) => setTimeout(resume, pause));
    const result = await findResult();
    if (result) return result;
  }
  const renewal = setInterval(
    () => services.waitUntil(services.redis.eval(RENEW_SCRIPT, [lockKey], [holder, String(LOCK_TTL_MS)])),
    RENEW_INTERVAL_MS,
  );
  try {
    return (await findResult()) ?? (await work());
  } finally {
    clearInterval(renewal);
    services.waitUntil(services.redis.eval(RELEASE_SCRIPT, [lockKey], [holder]));
  }
}

/** Also true when Redis fails: verifying twice is better than failing the request. */
async function acquireLock({ redis, log }: LockServices, lockKey: string, holder: string): Promise<boolean> {
  try {
    return (await redis.set(lockKey, holder, { nx: true, px: LOCK_TTL_MS })) !== null;
  } catch (error) {
    log({ level: "error", error: formatError(error) });
    return true;
  }
}
