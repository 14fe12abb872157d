// One verification of an upload at a time: each reads the whole object, and an isolate has the memory for few of them.
import type { Call } from "../call.ts";
import { describeError } from "../describe-error.ts";
import { refuse } from "../errors.ts";

type Io = Pick<Call, "redis" | "ids" | "log" | "after">;

interface Turn<Result> {
  work(): Promise<Result>;
  /** What another's work has come to; null while it goes on. */
  done(): Promise<Result | null>;
}

/** The turn of one who died ends that soon; whoever lives begins it anew in time. */
const TURN_MS = 15_000;
const RENEW_MS = 5_000;

const LOOK_AGAIN_MS = 250;
const LOOK_AGAIN_AT_MOST_MS = 3_000;
const PATIENCE_MS = 60_000;

const RENEW = `if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('PEXPIRE', KEYS[1], ARGV[2]) end return 0`;
const RELEASE = `if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('DEL', KEYS[1]) end return 0`;

/** Two at once do no harm, so a turn that is lost costs work and nothing else. */
export async function inTurn<Result>(io: Io, id: string, { work, done }: Turn<Result>): Promise<Result> {
  const [slot, holder] = [`verify:${id}`, io.ids()];
  let pause = LOOK_AGAIN_MS;
  for (let waited = 0; !(await take(io, slot, holder)); waited += pause) {
    if (waited >= PATIENCE_MS) {
      const message = "Another request is verifying this upload. Ask again shortly: both get the same file.";
      throw refuse("request_in_progress", message, { retry_after_seconds: 10 });
    }
    pause = Math.min(pause * 1.5, LOOK_AGAIN_AT_MOST_MS);
    await new Promise((resume) => setTimeout(resume, pause));
    const result = await done();
    if (result) return result;
  }
  const renewing = setInterval(() => io.after(io.redis.eval(RENEW, [slot], [holder, String(TURN_MS)])), RENEW_MS);
  try {
    return (await done()) ?? (await work());
  } finally {
    clearInterval(renewing);
    io.after(io.redis.eval(RELEASE, [slot], [holder]));
  }
}

/** Also when nobody can say whose turn it is: to fail for that would be worse than work done twice. */
async function take({ redis, log }: Io, slot: string, holder: string): Promise<boolean> {
  try {
    return (await redis.set(slot, holder, { nx: true, px: TURN_MS })) !== null;
  } catch (error) {
    log({ level: "error", error: describeError(error) });
    return true;
  }
}
