// Allows one verification per upload at a time: each reads the whole object, and an isolate has memory for few.
import type { RequestContext } from "../services/context.ts";
import { acquireLock } from "../services/redis-lock.ts";
import { apiError } from "../shared/errors.ts";
import { pause } from "../shared/retry.ts";

type LockServices = Pick<RequestContext, "redis" | "log" | "waitUntil">;

interface LockedWork<Result> {
  work(): Promise<Result>;
  /** The result if another request has produced it by now, else null. */
  findResult(): Promise<Result | null>;
}

/** The lock expires after this time unless its holder renews it, so that a crashed holder does not keep it. */
const LOCK_MS = 15_000;

const POLL_MS = 250;
const MAX_POLL_MS = 3_000;
const MAX_WAIT_MS = 60_000;

/** The lock only saves work: two verifications at once are safe. Throws `request_in_progress` after MAX_WAIT_MS. */
export async function withVerificationLock<Result>(
  services: LockServices,
  id: string,
  { work, findResult }: LockedWork<Result>,
): Promise<Result> {
  let ms = POLL_MS;
  for (let waited = 0; ; waited += ms) {
    const lock = await acquireLock(services, `verify:${id}`, LOCK_MS);
    // The caller has read the upload just before the first attempt.
    if (lock) return lock.hold(async () => (waited > 0 && (await findResult())) || work());
    if (waited >= MAX_WAIT_MS) {
      const message = "Another request is verifying this upload. Retry in 10 seconds.";
      throw apiError("request_in_progress", message, { retry_after_seconds: 10 });
    }
    ms = Math.min(ms * 1.5, MAX_POLL_MS);
    await pause(ms);
    const result = await findResult();
    if (result) return result;
  }
}
