// The hourly budget of captions: one per account owner, spent by every request that has a cut transcribed.
import type { Call } from "../call.ts";
import { type Refusal, refuse } from "../errors.ts";
import { rateHeaders } from "../limits.ts";
import { lookAtWindow, takeFromWindow } from "../upstash.ts";

const NAME = "captions";
const WINDOW_SECONDS = 60 * 60;

type Io = Pick<Call, "env" | "redis" | "key" | "now">;

interface Budget {
  headers: Record<string, string>;
  refusal: Refusal | null;
}

/** Takes one, in the instant before the cut is transcribed; what comes of it gives nothing back. */
export async function spend(io: Io): Promise<Budget> {
  const { success, remaining, reset } = await takeFromWindow(io.redis, PREFIX, windowOf(io), io.key.scope.ownerId, 1);
  return told(io, { remaining, reset, over: !success });
}

/** What a request that will be refused for another reason meets first: without a budget it is refused for that. */
export async function look(io: Io): Promise<Budget> {
  const { remaining, reset } = await lookAtWindow(io.redis, PREFIX, windowOf(io), io.key.scope.ownerId);
  return told(io, { remaining, reset, over: remaining <= 0 });
}

const PREFIX = `limit:${NAME}`;

function windowOf({ env }: Io) {
  return { quota: env.CAPTIONS_PER_HOUR, windowSeconds: WINDOW_SECONDS };
}

function told(io: Io, { remaining, reset, over }: { remaining: number; reset: number; over: boolean }): Budget {
  const seconds = Math.max(1, Math.ceil((reset - io.now.getTime()) / 1000));
  const policy = windowOf(io);
  const headers = rateHeaders([{ name: NAME, policy, remaining: Math.max(0, remaining), seconds }]);
  const message = `The ${policy.quota} captions an hour of this account owner are used up.`;
  return { headers, refusal: over ? refuse("rate_limited", message, { retry_after_seconds: seconds, headers }) : null };
}
