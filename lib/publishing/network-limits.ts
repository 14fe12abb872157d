// Limits of an app at a network, shared by all accounts that were connected with it: a circuit breaker and a token bucket in Redis.
import { selectAccountApp } from "../platforms/issuing-app.ts";
import type { ClaimedDelivery } from "../queries/deliveries.ts";
import type { Services } from "../services/context.ts";
import { toResult } from "../shared/result.ts";

/**
 * Adds what this isolate has seen since its last call, then opens the circuit when at least ARGV[4] attempts of a minute
 * failed, four times as many as did not. Returns how long to wait, and why; an empty bucket gains ARGV[3] a second.
 */
const ADMIT_SCRIPT = `
local now = tonumber(ARGV[1])
local stored = redis.call('HMGET', KEYS[1], 'since', 'failed', 'passed', 'open', 'tokens', 'at')
local since, failed, passed = tonumber(stored[1]) or now, tonumber(stored[2]) or 0, tonumber(stored[3]) or 0
local open, burst, rate = tonumber(stored[4]) or 0, tonumber(ARGV[2]), tonumber(ARGV[3])
if now - since >= 60000 then since, failed, passed = now, 0, 0 end
failed = failed + tonumber(ARGV[5])
passed = passed + tonumber(ARGV[6])
if failed >= tonumber(ARGV[4]) and failed >= 4 * passed then
  open, since, failed, passed = now + tonumber(ARGV[7]), now, 0, 0
end
local tokens = burst
if burst > 0 then
  tokens = math.min(burst, (tonumber(stored[5]) or burst) + math.max(0, now - (tonumber(stored[6]) or now)) * rate / 1000)
end
local reason, wait = 'admitted', 0
if open > now then reason, wait = 'open', open - now
elseif burst > 0 and tokens < 1 then reason, wait = 'empty', math.ceil((1 - tokens) * 1000 / rate)
elseif burst > 0 then tokens = tokens - 1 end
redis.call('HSET', KEYS[1], 'since', since, 'failed', failed, 'passed', passed, 'open', open, 'tokens', tostring(tokens), 'at', now)
redis.call('EXPIRE', KEYS[1], 300)
return {reason, wait}`;

/** Failed attempts of a minute that open the circuit, and for how long. */
const MIN_FAILURES = 20;
const OPEN_MS = 30_000;

interface Seen {
  failed: number;
  passed: number;
}

/** Ends of attempts since the last call to Redis, so that an attempt makes one call and not two. */
const seenByApp = new Map<string, Seen>();

type Account = ClaimedDelivery["account"];
type LimitServices = Pick<Services, "redis" | "env" | "clock">;

export type Admission = { reason: "admitted" } | { reason: "open" | "empty"; retryAt: Date };

/** Decides if an attempt may call the network now. Without Redis it may. */
export async function admitToNetwork(services: LimitServices, account: Account): Promise<Admission> {
  const key = toAppKey(services, account);
  const seen = seenByApp.get(key) ?? { failed: 0, passed: 0 };
  seenByApp.delete(key);
  const now = services.clock().getTime();
  const perMinute = (!account.app && getNetwork(services, account)?.attemptsPerMinute) || 0;
  // A burst of one second's worth, at least one attempt.
  const [burst, rate] = [perMinute > 0 ? Math.max(1, perMinute / 60) : 0, perMinute / 60];
  const args = [now, burst, rate, MIN_FAILURES, seen.failed, seen.passed, OPEN_MS].map(String);
  const answer = await toResult(
    services.redis.eval<string[], [Admission["reason"], number]>(ADMIT_SCRIPT, [key], args),
  );
  if (!answer.ok) return { reason: "admitted" };
  const [reason, waitMs] = answer.value;
  return reason === "admitted" ? { reason } : { reason, retryAt: new Date(now + waitMs) };
}

/** Counts how an attempt ended: a network that rejects a post works. */
export function countAttempt(services: Pick<Services, "env">, account: Account, hasResponded: boolean): void {
  const key = toAppKey(services, account);
  const { failed, passed } = seenByApp.get(key) ?? { failed: 0, passed: 0 };
  seenByApp.set(key, hasResponded ? { failed, passed: passed + 1 } : { failed: failed + 1, passed });
}

function toAppKey(services: Pick<Services, "env">, account: Account): string {
  const { type, platform, app } = account;
  const clientId = app?.clientId ?? getNetwork(services, account)?.clientId ?? "";
  return `network:${type === "hosted" ? "hosted" : platform}:${clientId}`;
}

function getNetwork({ env }: Pick<Services, "env">, account: Account) {
  return account.type === "hosted" ? env.hostedPublisher : selectAccountApp(env.networks[account.platform], account);
}
