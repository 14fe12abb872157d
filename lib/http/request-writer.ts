// Records requests after their responses: a line in the log, and an entry in the list of the key. Those that end at about
// the same time in an isolate are written by one of them, in one pipeline: a write for each would cost as much as the query of a
// read. So would a line for each in `wrangler dev`, where another process prints it; elsewhere each has its own log event.
import type { Services } from "../services/context.ts";
import type { Env } from "../services/env.ts";
import { openRedis, type Redis } from "../services/redis.ts";
import { KEPT_SECONDS, type LoggedRequest, MAX_KEPT, toRedisKey } from "./request-list.ts";

/**
 * How long the writer waits for others to end, if there are any, and so how late a list is. Redis has three commands a write,
 * and the embedded one copies the whole list for each.
 */
const COLLECT_MS = 250;

/** When so many requests end within COLLECT_MS, others will follow even if none is running. */
const BUSY_REQUESTS = 25;

/** A writer that is this late was ended with its invocation. */
const LATE_MS = 1_000;

interface EndedRequest {
  /** Of the log. */
  line: Record<string, unknown>;
  /** Null for a request that is in no list. */
  listed: ListedRequest | null;
}

interface ListedRequest {
  keyId: string;
  logged: LoggedRequest;
}

interface Writer {
  /** Requests that have begun and not ended. One whose client is gone never ends, so it may be too high. */
  running: number;
  waiting: ListedRequest[];
  /** Of the log. */
  lines: Record<string, unknown>[];
  /** When the requests that wait are written; in the past if no invocation is waiting. */
  writesAt: number;
  /** How many requests ended in the current span of COLLECT_MS, and in the one before. */
  ended: { since: number; now: number; before: number };
}

const writers = new WeakMap<Env, Writer>();

function getWriter(env: Env): Writer {
  const known = writers.get(env);
  if (known) return known;
  const ended = { since: 0, now: 0, before: 0 };
  const opened = { running: 0, waiting: [], lines: [], writesAt: Number.NEGATIVE_INFINITY, ended };
  writers.set(env, opened);
  return opened;
}

/** Call `endRequest` for each. */
export function beginRequest({ env }: Services): void {
  getWriter(env).running += 1;
}

/** Where no others are expected, a request does not wait. */
export function endRequest(services: Services, { line, listed }: EndedRequest): void {
  const writer = getWriter(services.env);
  writer.running -= 1;
  if (listed) writer.waiting.push(listed);
  if (services.env.ENVIRONMENT === "local") writer.lines.push({ request_id: services.requestId, ...line });
  else services.log(line);
  const now = Date.now();
  const isAlone = countEnded(writer, now) < BUSY_REQUESTS && writer.running <= 0;
  if (writer.waiting.length === 0 && writer.lines.length === 0) return;
  if (isAlone) services.waitUntil(writeWaiting(services, writer));
  else if (now > writer.writesAt + LATE_MS) {
    writer.writesAt = now + COLLECT_MS;
    services.waitUntil(writeLater(services, writer));
  }
}

/** Counts a request, and returns how many ended in the busier of the last two spans. */
function countEnded({ ended }: Writer, now: number): number {
  const passed = now - ended.since;
  if (passed >= COLLECT_MS)
    Object.assign(ended, { since: now, before: passed < 2 * COLLECT_MS ? ended.now : 0, now: 0 });
  ended.now += 1;
  return Math.max(ended.now, ended.before);
}

async function writeLater(services: Services, writer: Writer): Promise<void> {
  await new Promise((resolve) => setTimeout(resolve, COLLECT_MS));
  writer.writesAt = Number.NEGATIVE_INFINITY;
  await writeWaiting(services, writer);
}

async function writeWaiting({ env, requestId }: Services, writer: Writer): Promise<void> {
  if (writer.lines.length > 0) console.log(writer.lines.map((line) => JSON.stringify(line)).join("\n"));
  const byKey = Map.groupBy(writer.waiting, ({ keyId }) => keyId);
  writer.waiting = [];
  writer.lines = [];
  if (byKey.size === 0) return;
  // A client of its own, whose calls do not count as calls of the request.
  const redis = openRedis(env, `log.${requestId}`);
  await Promise.all([...byKey].map(([keyId, ended]) => addToList(redis, keyId, ended)));
}

async function addToList(redis: Redis, keyId: string, ended: ListedRequest[]): Promise<void> {
  const key = toRedisKey(keyId);
  await Promise.all([
    redis.lpush(key, ...ended.map(({ logged }) => JSON.stringify(logged))),
    redis.ltrim(key, 0, MAX_KEPT - 1),
    redis.expire(key, KEPT_SECONDS),
  ]);
}
