// What an invocation may touch: the services behind the Worker, opened once per request, cron tick or queue batch.

import { resolve4, resolve6 } from "node:dns/promises";
import type { Bucket } from "./bucket.ts";
import { connect, type Db } from "./db.ts";
import { describeError } from "./describe-error.ts";
import { type DeliveryNudge, type Env, readEnv } from "./env.ts";
import type { Ids } from "./ids.ts";
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
  /** Goes on after the answer is sent. */
  after(work: Promise<unknown>): void;
  log(line: Record<string, unknown>): void;
}

/** What a handler receives beside its checked input. */
export interface Call extends World {
  key: { id: string; publicId: string; scope: Scope };
  /** The instant of this request. */
  now: Date;
  ids: Ids;
}

/** Both families; empty when the name does not resolve. */
async function resolveHost(host: string): Promise<string[]> {
  const found = await Promise.allSettled([resolve4(host), resolve6(host)]);
  return found.flatMap((family) => (family.status === "fulfilled" ? family.value : []));
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
    nudge: (deliveryIds, delaySeconds) => after(nudge(env.deliveries, deliveryIds, delaySeconds)),
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

async function nudge(queue: Queue<DeliveryNudge>, deliveryIds: string[], delaySeconds: number): Promise<void> {
  for (let start = 0; start < deliveryIds.length; start += NUDGE_IDS_AT_MOST) {
    await queue.send({ deliveryIds: deliveryIds.slice(start, start + NUDGE_IDS_AT_MOST) }, { delaySeconds });
  }
}
