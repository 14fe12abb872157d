// The list of a key's last requests, as it is stored and read.
import type { Redis } from "../services/redis.ts";
import { encodeCursor } from "../shared/cursor.ts";
import { DAY_SECONDS } from "../shared/durations.ts";

export const KEPT_SECONDS = 7 * DAY_SECONDS;
/** Of one key; older ones go first. */
export const MAX_KEPT = 1_000;

/** A key can read this about its own requests: never a body, a header or an address. */
export interface LoggedRequest {
  request_id: string;
  operation: string;
  method: string;
  route: string;
  status: number;
  error_code: string | null;
  ms: number;
  at: string;
}

export const toRedisKey = (keyId: string) => `requests:${keyId}`;

interface RequestPaging {
  limit: number;
  offset: number;
  /** The last request of the page before. */
  cursor?: { at: string; requestId: string } | undefined;
}

/** A page of the last seven days, newest first, and the cursor of the next page. */
export async function listRequests(
  redis: Redis,
  keyId: string,
  paging: RequestPaging & { now: Date },
): Promise<{ requests: LoggedRequest[]; nextCursor: string | null }> {
  const stored = await readRequests(redis, keyId, paging);
  const recent = stored.filter((logged) => isRecent(logged, paging.now));
  const requests = recent.slice(0, paging.limit);
  const last = recent.length > requests.length ? requests.at(-1) : undefined;
  return { requests, nextCursor: last ? encodeCursor([Date.parse(last.at), last.request_id]) : null };
}

/** One more than the page. New requests are put first, so the place of a cursor has to be found. */
async function readRequests(
  redis: Redis,
  keyId: string,
  { limit, offset, cursor }: RequestPaging,
): Promise<LoggedRequest[]> {
  if (!cursor) return redis.lrange<LoggedRequest>(toRedisKey(keyId), offset, offset + limit);
  const all = await redis.lrange<LoggedRequest>(toRedisKey(keyId), 0, MAX_KEPT - 1);
  const last = all.findIndex(({ at, request_id }) => at === cursor.at && request_id === cursor.requestId);
  // A request that is no longer kept was older than those that are, so nothing comes after it.
  return last < 0 ? [] : all.slice(last + 1 + offset, last + 2 + offset + limit);
}

/** The last request of each key, in one call to Redis; empty for a key that sent none in seven days. */
export function listLastRequests(
  redis: Redis,
  keyIds: readonly string[],
): Promise<({ lastUsedAt: Date; lastOperation: string } | Record<never, never>)[]> {
  return Promise.all(
    keyIds.map(async (keyId) => {
      const [last] = await redis.lrange<LoggedRequest>(toRedisKey(keyId), 0, 0);
      return last ? { lastUsedAt: new Date(last.at), lastOperation: last.operation } : {};
    }),
  );
}

export async function findRequest(
  redis: Redis,
  keyId: string,
  requestId: string,
  now: Date,
): Promise<LoggedRequest | null> {
  const stored = await redis.lrange<LoggedRequest>(toRedisKey(keyId), 0, MAX_KEPT - 1);
  return stored.find((logged) => logged.request_id === requestId && isRecent(logged, now)) ?? null;
}

function isRecent({ at }: LoggedRequest, now: Date): boolean {
  return Date.parse(at) >= now.getTime() - KEPT_SECONDS * 1000;
}
