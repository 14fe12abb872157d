// Idempotency keys: one claim in Redis per key or grant, which ends as a stored answer or sets the key free again.
import stringify from "safe-stable-stringify";
import { describeError } from "./describe-error.ts";
import { refuse } from "./errors.ts";
import { sha256Hex } from "./secrets.ts";
import type { Redis } from "./upstash.ts";

const KEPT_SECONDS = 24 * 60 * 60;

export interface StoredAnswer {
  status: number;
  body: string;
}

export type Claim =
  | {
      state: "mine";
      seed: string;
      startedAt: Date;
      store(answer: StoredAnswer): Promise<void>;
      /** Holds the key for another lease, counted from then. */
      renew(now: Date): Promise<void>;
      release(mode: Release): Promise<void>;
    }
  | { state: "replay"; answer: StoredAnswer };

export type Mine = Extract<Claim, { state: "mine" }>;

/** `free`: refused, nothing happened. `retriable`: it may have happened, so the same body must draw the same ids. */
export type Release = "free" | "retriable";

/*
 * A hash per key: fingerprint, seed, at, until, and once done status and body. The seed outlives a failed or crashed
 * execution, so that the repeat of the same request inserts the same ids and finds what the first one left.
 */
const CLAIM = `
local old = redis.call('HMGET', KEYS[1], 'print', 'seed', 'at', 'until', 'status', 'body', 'holder')
local print, now = ARGV[1], tonumber(ARGV[2])
if old[5] then
  if old[1] ~= print then return {'reused'} end
  return {'replay', old[5], old[6]}
end
local seed, at = ARGV[3], ARGV[2]
if old[1] then
  if tonumber(old[4]) > now and old[7] ~= ARGV[3] then
    if old[1] ~= print then return {'reused'} end
    return {'running', old[4]}
  end
  if old[1] == print then seed, at = old[2], old[3] end
end
redis.call('HSET', KEYS[1], 'print', print, 'seed', seed, 'at', at, 'until', now + tonumber(ARGV[4]), 'holder', ARGV[3])
redis.call('EXPIRE', KEYS[1], ARGV[5])
return {'mine', seed, at}
`;

const FINISH = `
if redis.call('HGET', KEYS[1], 'holder') ~= ARGV[1] then return 0 end
if ARGV[2] == 'free' then return redis.call('DEL', KEYS[1]) end
if ARGV[2] == 'retriable' then return redis.call('HSET', KEYS[1], 'until', 0) end
if ARGV[2] == 'renew' then return redis.call('HSET', KEYS[1], 'until', ARGV[3]) end
redis.call('HSET', KEYS[1], 'status', ARGV[3], 'body', ARGV[4])
return redis.call('EXPIRE', KEYS[1], ARGV[5])
`;

/** Whether an operation honours a key; reads and deletions are as good twice. */
export function takesKey({ route }: { route: string }): boolean {
  return /^(POST|PATCH) /.test(route);
}

/** Null when the header is absent; throws 400 when it is empty, too long or has characters that are not visible. */
export function readKey(header: string | undefined, required: boolean): string | null {
  if (header === undefined) {
    if (!required) return null;
    throw refuse("invalid_request", "The header Idempotency-Key is required: 1 to 255 visible characters.");
  }
  if (!/^[\x21-\x7e]{1,255}$/.test(header)) {
    throw refuse("invalid_request", "The header Idempotency-Key must be 1 to 255 visible ASCII characters.");
  }
  return header;
}

/** What makes two requests the same: the operation, its path and its body, whatever the order of keys. */
export function fingerprint(operation: string, path: string, body: unknown): string {
  return sha256Hex(`${operation}\n${path}\n${stringify(body) ?? ""}`);
}

export async function claim(
  redis: Redis,
  principalId: string,
  key: string,
  print: string,
  holder: string,
  now: Date,
  /** A request that runs longer is presumed dead; the next one with the same body takes over its ids. */
  leaseMs: number,
): Promise<Claim> {
  const slot = slotOf(principalId, key);
  const args = [print, now.getTime(), holder, leaseMs, KEPT_SECONDS].map(String);
  const [state, first, second] = await redis.eval<string[], string[]>(CLAIM, [slot], args);
  if (state === "replay") return { state, answer: { status: Number(first), body: decodeBody(String(second)) } };
  if (state === "reused") {
    throw refuse(
      "idempotency_key_reused",
      "This Idempotency-Key was used with another request. Use a new key for a new request.",
    );
  }
  if (state === "running") {
    throw refuse("request_in_progress", "A request with this Idempotency-Key is still running. Ask again shortly.", {
      retry_after_seconds: 1,
    });
  }
  const finish = (...rest: string[]) => redis.eval(FINISH, [slot], [holder, ...rest]);
  return {
    state: "mine",
    seed: String(first),
    startedAt: new Date(Number(second)),
    store: async (answer) => {
      await finish("done", String(answer.status), encodeBody(answer.body), String(KEPT_SECONDS));
    },
    renew: async (at) => {
      await finish("renew", String(at.getTime() + leaseMs));
    },
    release: async (mode) => {
      // Ids that were taken over may be in use already: whoever repeats this request must draw them again.
      await finish(first === holder ? mode : "retriable");
    },
  };
}

/** Lets go of what a claim may have taken whose answer never came. */
export async function abandon(redis: Redis, principalId: string, key: string, holder: string): Promise<void> {
  await redis.eval(FINISH, [slotOf(principalId, key)], [holder, "retriable" satisfies Release]);
}

function slotOf(principalId: string, key: string): string {
  return `idem:${principalId}:${sha256Hex(key)}`;
}

/** Runs the work and renews its claim in time for as long as it takes. */
export async function renewing<Value>(
  mine: Mine,
  leaseMs: number,
  { clock, log }: { clock(): Date; log(line: Record<string, unknown>): void },
  work: () => Promise<Value>,
): Promise<Value> {
  // A renewal that is lost is made up for by the next one.
  const renew = () => mine.renew(clock()).catch((error) => log({ level: "error", error: describeError(error) }));
  const timer = setInterval(renew, leaseMs / 3);
  try {
    return await work();
  } finally {
    clearInterval(timer);
  }
}

// The client parses whatever looks like JSON; the prefix keeps a stored answer the text that it is.
function encodeBody(body: string): string {
  return `text:${body}`;
}

function decodeBody(stored: string): string {
  return stored.slice("text:".length);
}
