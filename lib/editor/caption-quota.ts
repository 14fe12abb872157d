// The hourly caption quota of an account owner, consumed by every request that transcribes a timeline.

import type { RequestContext } from "../services/context.ts";
import { consumeFromWindow, peekWindow } from "../services/redis.ts";
import { type ApiError, apiError } from "../shared/errors.ts";
import { buildRateLimitHeaders } from "../shared/rate-limit-headers.ts";

const LIMIT_NAME = "captions";
const WINDOW_SECONDS = 60 * 60;

type Context = Pick<RequestContext, "env" | "redis" | "key" | "receivedAt">;

interface CaptionQuota {
  headers: Record<string, string>;
  error: ApiError | null;
}

/** Consumes one, just before transcription. A failed transcription is not refunded. */
export async function consumeCaptionQuota(context: Context): Promise<CaptionQuota> {
  const { success, remaining, reset } = await consumeFromWindow(
    context.redis,
    KEY_PREFIX,
    getWindow(context),
    getOwner(context),
    1,
  );
  return toCaptionQuota(context, { remaining, reset, exceeded: !success });
}

/** Reads the quota without consuming it. */
export async function peekCaptionQuota(context: Context): Promise<CaptionQuota> {
  const { remaining, reset } = await peekWindow(context.redis, KEY_PREFIX, getWindow(context), getOwner(context));
  return toCaptionQuota(context, { remaining, reset, exceeded: remaining <= 0 });
}

const KEY_PREFIX = `limit:${LIMIT_NAME}`;

/** Test mode takes nothing of the owner's quota. */
function getOwner({ key: { scope } }: Context): string {
  return scope.sandbox ? scope.id : scope.ownerId;
}

/** As responses that consume nothing report it. */
export const captionLimit = {
  getPolicy: (env: Context["env"]) => ({ name: LIMIT_NAME, policy: getWindow({ env }) }),
  peek: async (context: Context) => (await peekCaptionQuota(context)).headers,
};

function getWindow({ env }: Pick<Context, "env">) {
  return { quota: env.CAPTIONS_PER_HOUR, windowSeconds: WINDOW_SECONDS };
}

function toCaptionQuota(
  context: Context,
  { remaining, reset, exceeded }: { remaining: number; reset: number; exceeded: boolean },
): CaptionQuota {
  const seconds = Math.max(1, Math.ceil((reset - context.receivedAt.getTime()) / 1000));
  const policy = getWindow(context);
  const headers = buildRateLimitHeaders([
    { name: LIMIT_NAME, policy, remaining: Math.max(0, remaining), resetSeconds: seconds },
  ]);
  const message = `The limit of ${policy.quota} transcriptions per hour and account owner is reached. Retry after the time in Retry-After.`;
  return {
    headers,
    error: exceeded ? apiError("rate_limited", message, { retry_after_seconds: seconds, headers }) : null,
  };
}
