// What an invocation may touch: the services behind the Worker, opened once per request, cron tick or queue batch.

import { REFRESHES_AT_ONCE } from "./analytics/timing.ts";
import type { Bucket } from "./bucket.ts";
import { connect, type Db } from "./db.ts";
import { describeError } from "./describe-error.ts";
import { type Env, readEnv } from "./env.ts";
import type { Ids } from "./ids.ts";
import { resolveHost } from "./resolve-host.ts";
import type { Scope } from "./scope.ts";
import { connectRedis, type Redis } from "./upstash.ts";

export interface World {
  env: Env;
  db: Db;
  redis: Redis;
  /** Opened when first asked for: its SDK is large, and most requests never need it. */
  bucket(): Promise<Bucket>;
  fetch: typeof fetch;
  /** The addresses behind a host name. */
  resolveHost(host: string): Promise<string[]>;
  clock: () => Date;
  requestId: string;
  /** Nudges the publisher, after the answer. A lost nudge is found again by cron. */
  nudge(deliveryIds: string[], delaySeconds: number): void;
  /** Nudges the refresher of analytics likewise. */
  nudgeRefreshes(refreshIds: string[], delaySeconds: number): void;
  /** Goes on after the answer is sent. */
  after(work: Promise<unknown>): void;
  log(line: Record<string, unknown>): void;
}

/** What a handler receives beside its checked input. */
export interface Call extends World {
  /** Scheme and host that the request was sent to. */
  origin: string;
  key: { id: string; publicId: string; scope: Scope };
  /** The instant of this request. */
  now: Date;
  ids: Ids;
}

/** The Queues API takes 100 messages in one batch and a delay of at most 12 hours. */
const NUDGE_IDS_AT_MOST = 50;

export function openWorld(
  raw: Record<string, unknown>,
  requestId: string,
  waitUntil: (work: Promise<unknown>) => void,
): World {
  const env = readEnv(raw);
  const log = (line: Record<string, unknown>) => console.log(JSON.stringify({ request_id: requestId, ...line }));
  const after = (work: Promise<unknown>) =>
    waitUntil(work.catch((error) => log({ level: "error", after: describeError(error) })));
  return {
    env,
    db: connect(env, requestId),
    redis: connectRedis(env, requestId),
    bucket: once(async () => (await import("./bucket.ts")).openBucket(env, requestId)),
    fetch: (input, init) => fetch(input, init),
    resolveHost,
    clock: () => new Date(),
    requestId,
    nudge: (ids, delaySeconds) =>
      after(
        send(
          env.deliveries,
          inParts(ids, NUDGE_IDS_AT_MOST, (deliveryIds) => ({ deliveryIds })),
          delaySeconds,
        ),
      ),
    nudgeRefreshes: (ids, delaySeconds) =>
      after(
        send(
          env.refreshes,
          inParts(ids, REFRESHES_AT_ONCE, (refreshIds) => ({ refreshIds })),
          delaySeconds,
        ),
      ),
    after,
    log,
  };
}

function once<Value>(open: () => Promise<Value>): () => Promise<Value> {
  let opened: Promise<Value> | null = null;
  return () => {
    opened ??= open();
    return opened;
  };
}

function inParts<Message>(ids: string[], size: number, messageOf: (ids: string[]) => Message): Message[] {
  const count = Math.ceil(ids.length / size);
  return Array.from({ length: count }, (_, part) => messageOf(ids.slice(part * size, (part + 1) * size)));
}

async function send<Message>(queue: Queue<Message>, messages: Message[], delaySeconds: number): Promise<void> {
  for (const message of messages) await queue.send(message, { delaySeconds });
}
