// One line of the log per request, and the list of a key's last requests, which is written after the response.
import { openRedis, type Redis } from "../services/redis.ts";
import { encodeCursor } from "../shared/cursor.ts";
import type { ApiError } from "../shared/errors.ts";
import type { PipelineContext } from "./pipeline-state.ts";

const KEPT_SECONDS = 7 * 24 * 60 * 60;
/** Of one key; older ones go first. */
const MAX_KEPT = 1_000;
/** Enough to see what is wrong with a body. */
const MAX_FIELDS = 20;

/** What a key can read about its own requests: never a body, a header or an address. */
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

interface HandledRequest {
  id: string;
  route: string;
  ms: number;
}

export function logRequest(c: PipelineContext, { id, route, ms }: HandledRequest): void {
  const { services, failure, keyName, credential, now } = c.var;
  const { status } = c.res;
  const [method = "", path = ""] = route.split(" ");
  services.log({
    level: status >= 500 ? "error" : "info",
    endpoint: id,
    route,
    status,
    ...(failure ? { error_code: failure.code, fields: listFields(failure) } : {}),
    ids: Object.values(c.req.param()),
    key: keyName,
    ms,
    round_trips: services.calls.made,
  });
  // Without a credential the request belongs to no key, and the list of requests does not list itself.
  if (!credential || status === 401 || id.startsWith("requests.")) return;
  const logged: LoggedRequest = {
    request_id: services.requestId,
    operation: id,
    method,
    route: path,
    status,
    error_code: failure?.code ?? null,
    ms,
    at: now.toISOString(),
  };
  // A client of its own, whose calls do not count as calls of the request.
  const redis = openRedis(services.env, `log.${services.requestId}`);
  services.waitUntil(storeRequest(redis, credential.id, logged));
}

/** Codes and paths only: messages may quote what the caller sent. */
function listFields({ extra: { fields, issues } }: ApiError): string[] | undefined {
  const all = fields ? fields.map(({ path, code }) => `${path} ${code}`) : Object.keys(issues?.fieldErrors ?? {});
  return all.length > 0 ? all.slice(0, MAX_FIELDS) : undefined;
}

const toRedisKey = (keyId: string) => `requests:${keyId}`;

async function storeRequest(redis: Redis, keyId: string, logged: LoggedRequest): Promise<void> {
  const key = toRedisKey(keyId);
  await Promise.all([
    redis.lpush(key, JSON.stringify(logged)),
    redis.ltrim(key, 0, MAX_KEPT - 1),
    redis.expire(key, KEPT_SECONDS),
  ]);
}

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
