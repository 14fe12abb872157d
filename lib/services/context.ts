// The services of an invocation, which is an HTTP request, a cron trigger or a queue batch.

import type { Actor } from "../shared/actor.ts";
import { formatError } from "../shared/format-error.ts";
import type { IdGenerator } from "../shared/ids.ts";
import { pause } from "../shared/retry.ts";
import type { Sandbox, Scope } from "../shared/scope.ts";
import type { WorkKind } from "../shared/work-kinds.ts";
import { type Budget, createBudget, withBudget } from "./budget.ts";
import { type Db, openDatabase, type ReadOnlyDb } from "./database.ts";
import { resolveHost } from "./dns.ts";
import { type Env, readEnv, type SandboxMessage, type WebhooksMessage } from "./env.ts";
import { type Metrics, openMetrics } from "./metrics.ts";
import { openRedis, type Redis } from "./redis.ts";
import type { ObjectStorage } from "./storage.ts";

/** Number of calls of an invocation to the database and to Redis. */
interface CallCount {
  made: number;
}

export interface Services {
  env: Env;
  db: Db;
  redis: Redis;
  /** The requests and the time that this invocation has left. */
  budget: Budget;
  /** Loaded on first use: its SDK is large, and most requests never need it. */
  storage(): Promise<ObjectStorage>;
  fetch: typeof fetch;
  /** The IP addresses of a host name. */
  resolveHost(host: string): Promise<string[]>;
  /** Of the mode: that of a test scope may be ahead of real time. */
  clock: () => Date;
  /** The test scope that the services are those of; null in live mode. See lib/services/sandbox.ts. */
  sandbox: Sandbox | null;
  /** In test mode, the services of live mode, from which a runner opens those of each instant. */
  live?: Services;
  /** Waits and returns true; false at once when the wait would end more than WAIT_BUDGET_MS after the invocation's start. */
  wait(ms: number): Promise<boolean>;
  requestId: string;
  /** For the log: the calls to database and Redis so far. */
  calls: CallCount;
  /** Enqueues deliveries in the background, without delaying the response. Cron enqueues those of a lost message again. */
  enqueueDeliveries(deliveryIds: string[], delaySeconds: number, kind: WorkKind): void;
  /** Enqueues analytics refreshes in the same way, cron included. */
  enqueueRefreshes(refreshIds: string[], delaySeconds: number): void;
  /** Enqueues webhooks, or scopes whose webhooks may have deliveries due, in the same way. */
  enqueueWebhooks(ids: WebhooksMessage, delaySeconds: number): void;
  /** Enqueues the due work of a test scope, of every kind, in the same way. */
  enqueueSandbox(scopeId: string, delaySeconds: number): void;
  /** Told of each job that has run, whatever came of it. */
  onJob?(done: { job: string; id: string }): void;
  metrics: Metrics;
  /** Keeps the invocation alive until `work` ends; a failure is logged. */
  waitUntil(work: Promise<unknown>): void;
  log(line: Record<string, unknown>): void;
}

/** The context that a handler receives in addition to its validated input. */
export interface RequestContext extends Services {
  /** The authenticated caller. */
  actor: Actor;
  /** Every kind of caller has an id for the log and a scope. */
  key: { id: string; publicId: string; scope: Scope };
  /** When the request was received, by the clock of the mode. */
  now: Date;
  /** The same in real time, which rate limits keep in both modes. */
  receivedAt: Date;
  ids: IdGenerator;
  /** Counts URLs of other hosts against their rate limit; called before they are fetched. Throws `rate_limited`. */
  consumeOutsideUrls(count: number): Promise<void>;
}

/** The context of work that may run before the key is verified: it cannot write to the database or enqueue. */
export interface ReadContext
  extends Omit<
    RequestContext,
    "db" | "enqueueDeliveries" | "enqueueRefreshes" | "enqueueWebhooks" | "enqueueSandbox" | "consumeOutsideUrls"
  > {
  db: ReadOnlyDb;
}

/**
 * A message is the work of one invocation. An upload needs two of the six connections that an invocation may have open:
 * https://developers.cloudflare.com/workers/platform/limits/, read 2026-11-24.
 */
const MAX_DELIVERIES_PER_MESSAGE = { posts: 6, uploads: 2, confirmations: 6 } as const satisfies Record<
  WorkKind,
  number
>;

/** Refreshes of one message, below the six connections that may wait for a response in an invocation. */
export const MAX_REFRESHES_PER_MESSAGE = 4;

export function openServices(
  raw: Record<string, unknown>,
  requestId: string,
  waitUntil: (work: Promise<unknown>) => void,
): Services {
  const env = readEnv(raw);
  const budget = createBudget(Date.now);
  const calls: CallCount = { made: 0 };
  const countCall = () => {
    calls.made += 1;
    budget.countRequest();
  };
  const log = (line: Record<string, unknown>) => console.log(JSON.stringify({ request_id: requestId, ...line }));
  const runInBackground = (work: Promise<unknown>) =>
    waitUntil(work.catch((error) => log({ level: "error", background: formatError(error) })));
  return {
    env,
    db: openDatabase(env, requestId, countCall),
    redis: openRedis(env, requestId, countCall),
    budget,
    storage: memoize(async () => (await import("./storage.ts")).openStorage(env, requestId)),
    fetch: withBudget(budget, (input, init) => fetch(input, init)),
    resolveHost,
    clock: () => new Date(),
    sandbox: null,
    wait: createWait(),
    requestId,
    calls,
    enqueueDeliveries: (ids, delaySeconds, kind) =>
      runInBackground(
        sendMessages(
          env.deliveryQueues[kind],
          toMessages(ids, MAX_DELIVERIES_PER_MESSAGE[kind], (deliveryIds) => ({ deliveryIds, kind })),
          delaySeconds,
        ),
      ),
    enqueueRefreshes: (ids, delaySeconds) =>
      runInBackground(
        sendMessages(
          env.refreshesQueue,
          toMessages(ids, MAX_REFRESHES_PER_MESSAGE, (refreshIds) => ({ refreshIds })),
          delaySeconds,
        ),
      ),
    enqueueWebhooks: (ids, delaySeconds) =>
      runInBackground(sendMessages(env.webhooksQueue, toWebhooksMessages(ids), delaySeconds)),
    enqueueSandbox: (sandboxId, delaySeconds) =>
      runInBackground(sendMessages<SandboxMessage>(env.sandboxQueue, [{ sandboxId }], delaySeconds)),
    metrics: openMetrics(env.metricsDataset),
    waitUntil: runInBackground,
    log,
  };
}

/**
 * No wait of an invocation ends later after its start: enough for the first three polls of a network. A longer wait is a
 * message with a delay, which occupies no consumer, but costs a claim and a checkpoint.
 */
export const WAIT_BUDGET_MS = 15_000;

function createWait(): Services["wait"] {
  const until = Date.now() + WAIT_BUDGET_MS;
  return async (ms) => {
    if (Date.now() + ms > until) return false;
    return pause(ms);
  };
}

function memoize<Value>(open: () => Promise<Value>): () => Promise<Value> {
  let opened: Promise<Value> | null = null;
  return () => {
    opened ??= open();
    return opened;
  };
}

function toMessages<Message>(ids: string[], size: number, toMessage: (ids: string[]) => Message): Message[] {
  const count = Math.ceil(ids.length / size);
  return Array.from({ length: count }, (_, at) => toMessage(ids.slice(at * size, (at + 1) * size)));
}

/** A message has one id: an invocation sends for one webhook, so that a slow one delays no other. */
function toWebhooksMessages(ids: WebhooksMessage): WebhooksMessage[] {
  if ("scopeIds" in ids) return ids.scopeIds.map((id) => ({ scopeIds: [id] }));
  return ids.webhookIds.map((id) => ({ webhookIds: [id] }));
}

/** Maximum messages per call: https://developers.cloudflare.com/queues/platform/limits/, read 2026-11-23. */
const MAX_MESSAGES_PER_BATCH = 100;

async function sendMessages<Message>(queue: Queue<Message>, messages: Message[], delaySeconds: number): Promise<void> {
  for (let at = 0; at < messages.length; at += MAX_MESSAGES_PER_BATCH) {
    const batch = messages.slice(at, at + MAX_MESSAGES_PER_BATCH);
    await queue.sendBatch(
      batch.map((body) => ({ body })),
      { delaySeconds },
    );
  }
}
