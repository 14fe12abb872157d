// Idempotency keys: one claim in Redis per API key and idempotency key, which ends as a stored response or is released.
import stringify from "safe-stable-stringify";
import type { Redis } from "../services/redis.ts";
import { sha256Hex } from "../shared/crypto.ts";
import { DAY_SECONDS } from "../shared/durations.ts";
import { type ApiError, apiError } from "../shared/errors.ts";
import { formatError } from "../shared/format-error.ts";
import { withHeartbeat } from "../shared/heartbeat.ts";

const RETENTION_SECONDS = DAY_SECONDS;

export interface StoredResponse {
  status: number;
  body: string;
}

export type Claim =
  | {
      state: "owned";
      seed: string;
      startedAt: Date;
      store(response: StoredResponse): Promise<void>;
      /** Extends the lease, counted from `now`. */
      renew(now: Date): Promise<void>;
      release(mode: ReleaseMode): Promise<void>;
    }
  | { state: "replay"; response: StoredResponse };

export type OwnedClaim = Extract<Claim, { state: "owned" }>;

/** `free`: rejected before anything was written. `retriable`: something may have been written, so a retry must draw the same ids. */
export type ReleaseMode = "free" | "retriable";

/*
 * A hash per key: fingerprint, seed, start, end of the lease, holder, and once done status and body. The seed is kept
 * after a failed or crashed execution, so that a retry of the same request draws the same ids and finds what was written.
 * It is no lock of redis-lock.ts: claim, comparison and stored response are one step, and nobody may pass without it.
 */
const CLAIM_SCRIPT = `
local old = redis.call('HMGET', KEYS[1], 'fingerprint', 'seed', 'at', 'until', 'status', 'body', 'holder')
local fingerprint, now = ARGV[1], tonumber(ARGV[2])
if old[5] then
  if old[1] ~= fingerprint then return {'reused'} end
  return {'replay', old[5], old[6]}
end
local seed, at = ARGV[3], ARGV[2]
if old[1] then
  if tonumber(old[4]) > now and old[7] ~= ARGV[3] then
    if old[1] ~= fingerprint then return {'reused'} end
    return {'running', old[4]}
  end
  if old[1] == fingerprint then seed, at = old[2], old[3] end
end
redis.call('HSET', KEYS[1], 'fingerprint', fingerprint, 'seed', seed, 'at', at, 'until', now + tonumber(ARGV[4]), 'holder', ARGV[3])
redis.call('EXPIRE', KEYS[1], ARGV[5])
return {'owned', seed, at}
`;

const FINISH_SCRIPT = `
if redis.call('HGET', KEYS[1], 'holder') ~= ARGV[1] then return 0 end
if ARGV[2] == 'free' then return redis.call('DEL', KEYS[1]) end
if ARGV[2] == 'retriable' then return redis.call('HSET', KEYS[1], 'until', 0) end
if ARGV[2] == 'renew' then return redis.call('HSET', KEYS[1], 'until', ARGV[3]) end
redis.call('HSET', KEYS[1], 'status', ARGV[3], 'body', ARGV[4])
return redis.call('EXPIRE', KEYS[1], ARGV[5])
`;

/** POST and PATCH support a key; reads and deletions are idempotent by themselves. */
export function supportsIdempotency({ route }: { route: string }): boolean {
  return /^(POST|PATCH) /.test(route);
}

/** Null when the header is absent. Throws 400 when it is required or malformed. */
export function readIdempotencyKey(header: string | undefined, required: boolean): string | null {
  if (header === undefined) {
    if (!required) return null;
    throw apiError("invalid_request", "The header Idempotency-Key is required: 1 to 255 visible ASCII characters.");
  }
  if (!/^[\x21-\x7e]{1,255}$/.test(header)) {
    throw apiError("invalid_request", "The header Idempotency-Key must be 1 to 255 visible ASCII characters.");
  }
  return header;
}

const UUID = "[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}";
const PATH_ID = new RegExp(`(?<=/)${UUID}(?=/|$)`, "gi");
/** A text of the JSON that is nothing but a UUID: a quote within a text follows a backslash. */
const BODY_ID = new RegExp(`(?<!\\\\)"${UUID}"`, "gi");

/** Equal for two requests with the same operation, path and body, regardless of the order of JSON keys and of the case of ids. */
export function fingerprint(operation: string, path: string, body: unknown): string {
  const lower = (id: string) => id.toLowerCase();
  const json = (stringify(body) ?? "").replace(BODY_ID, lower);
  return sha256Hex(`${operation}\n${path.replace(PATH_ID, lower)}\n${json}`);
}

export async function claimKey(
  redis: Redis,
  principalId: string,
  key: string,
  requestFingerprint: string,
  holder: string,
  now: Date,
  /** An execution that runs longer counts as crashed; a retry with the same body takes over its ids. */
  leaseMs: number,
): Promise<Claim> {
  const slot = toRedisKey(principalId, key);
  const args = [requestFingerprint, now.getTime(), holder, leaseMs, RETENTION_SECONDS].map(String);
  const [state, first, second] = await redis.eval<string[], string[]>(CLAIM_SCRIPT, [slot], args);
  if (state === "replay") return { state, response: { status: Number(first), body: decodeBody(String(second)) } };
  if (state !== "owned") throw toClaimError(state, leaseMs, Number(first) - now.getTime());
  const finish = (...rest: string[]) => redis.eval(FINISH_SCRIPT, [slot], [holder, ...rest]);
  return {
    state: "owned",
    seed: String(first),
    startedAt: new Date(Number(second)),
    store: async (response) => {
      await finish("done", String(response.status), encodeBody(response.body), String(RETENTION_SECONDS));
    },
    renew: async (at) => {
      await finish("renew", String(at.getTime() + leaseMs));
    },
    release: async (mode) => {
      // Ids that were taken over may be in use already, so the next retry must draw them again.
      await finish(first === holder ? mode : "retriable");
    },
  };
}

/** The execution that runs is given as long again as it has taken, at most what remains of its lease. */
function toClaimError(state: string | undefined, leaseMs: number, remainingMs: number): ApiError {
  if (state === "reused") {
    const message = "This Idempotency-Key was used with another request. Use a new key for a new request.";
    return apiError("idempotency_key_reused", message);
  }
  const seconds = Math.max(1, Math.ceil(Math.min(remainingMs, leaseMs - remainingMs) / 1000));
  const message = `A request with this Idempotency-Key is in progress. Retry after ${seconds} s.`;
  return apiError("request_in_progress", message, { retry_after_seconds: seconds });
}

/** Releases a claim whose response was lost, so that it is unknown whether it was made. */
export async function releaseUnconfirmed(
  redis: Redis,
  principalId: string,
  key: string,
  holder: string,
): Promise<void> {
  await redis.eval(FINISH_SCRIPT, [toRedisKey(principalId, key)], [holder, "retriable" satisfies ReleaseMode]);
}

function toRedisKey(principalId: string, key: string): string {
  return `idem:${principalId}:${sha256Hex(key)}`;
}

/** Renews the claim three times per lease until the work ends. */
export function withClaimHeartbeat<Value>(
  claim: OwnedClaim,
  leaseMs: number,
  { clock, log }: { clock(): Date; log(line: Record<string, unknown>): void },
  work: () => Promise<Value>,
): Promise<Value> {
  // A lost renewal is made up for by the next one.
  const renew = () => claim.renew(clock()).catch((error) => log({ level: "error", error: formatError(error) }));
  return withHeartbeat(leaseMs / 3, renew, work);
}

// The Redis client parses whatever looks like JSON; the prefix keeps a stored response as text.
function encodeBody(body: string): string {
  return `text:${body}`;
}

function decodeBody(stored: string): string {
  return stored.slice("text:".length);
}
