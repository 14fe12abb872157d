// Cloudflare's queues and their consumers in one process: each consumer runs one invocation at a time, with a delay per query.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { performance } from "node:perf_hooks";
import { enqueueDueDeliveries } from "../../functions/cron/deliveries.ts";
import { consumeDeliveries } from "../../functions/queue/deliveries.ts";
import { openServices, type Services } from "../../lib/services/context.ts";
import type { DeliveriesMessage } from "../../lib/services/env.ts";
import type { Database } from "../local/database.ts";
import { createQueue, createSimulatedQueue, type QueuedMessage, toBatch } from "../support/queue.ts";
import type { ModelledNetworks } from "./modelled-networks.ts";
import type { VirtualClock } from "./virtual-clock.ts";

export const QUERY_LATENCY_MS = { least: 2, most: 20 } as const;

/** At most so many consumers of one queue run at once: https://developers.cloudflare.com/queues/platform/limits/, read 2026-11-24. */
const PLATFORM_CONCURRENCY = 250;

/** The bindings of the queues that carry deliveries. A Worker without the last two has one queue for all work. */
const DELIVERY_BINDINGS = ["DELIVERIES", "UPLOADS", "CONFIRMATIONS"] as const;

interface ConsumerSettings {
  batchSize: number;
  concurrency: number;
}

/** As wrangler.toml has them. */
export function readConsumerSettings(bindings: readonly string[] = DELIVERY_BINDINGS): Map<string, ConsumerSettings> {
  const toml = readFileSync(join(import.meta.dirname, "../../wrangler.toml"), "utf8");
  const read = (block: string, name: string) => new RegExp(`^${name} = "?([\\w-]+)"?$`, "m").exec(block)?.[1];
  const producers = toml.split("[[queues.producers]]").slice(1);
  const consumers = toml.split("[[queues.consumers]]").slice(1);
  const settings = bindings.flatMap((binding) => {
    const queue = producers.map((block) => (read(block, "binding") === binding ? read(block, "queue") : null));
    const consumer = consumers.find((block) => queue.includes(read(block, "queue") ?? ""));
    if (!consumer) return [];
    const concurrency = Number(read(consumer, "max_concurrency") ?? PLATFORM_CONCURRENCY);
    return [[binding, { batchSize: Number(read(consumer, "max_batch_size") ?? 10), concurrency }] as const];
  });
  return new Map(settings);
}

export interface QueryTimes {
  count: number;
  /** Time in the database of each claim, in milliseconds. */
  claims: number[];
  /** The first claims as they were sent. */
  claimed: { query: string; params: unknown[] }[];
}

const KEPT_CLAIMS = 10;
/** The statement of a claim begins so. */
const CLAIM = "with requested_accounts as";

export interface ModelledRun {
  queries: QueryTimes;
  errors: string[];
  /** Enqueues each delivery alone, as the POST that created it did. */
  enqueue(ids: string[]): void;
  runSweep(): Promise<void>;
  /** Waits until nothing is queued or running, and `isDone`; false after so much time of the model. */
  waitUntil(isDone: () => Promise<boolean>, timeoutMs: number): Promise<boolean>;
  stop(): void;
}

/** Starts as many consumers as the platform grants at most; how fast it grants them is not part of the model. */
export function startConsumers(
  clock: VirtualClock,
  vars: Record<string, string>,
  database: Database,
  networks: ModelledNetworks,
): ModelledRun {
  const queries: QueryTimes = { count: 0, claims: [], claimed: [] };
  const errors: string[] = [];
  const settings = readConsumerSettings();
  const queues = new Map(
    [...settings.keys()].map((name) => [name, { messages: createSimulatedQueue(clock.now), running: 0 }]),
  );
  let stopped = false;

  const bindings = Object.fromEntries(
    [...settings.keys()].map((name) => [
      name,
      createQueue<DeliveriesMessage>(({ deliveryIds, kind, delaySeconds }) => {
        const delayMs = delaySeconds * 1000;
        queues.get(name)?.messages.send(deliveryIds, { ...(kind === undefined ? {} : { kind }), delayMs });
        if (delayMs === 0) dispatch(name);
        else void clock.sleep(delayMs).then(() => dispatch(name));
      }),
    ]),
  );

  function openModelledServices(caller: string): { services: Services; background: Promise<unknown>[] } {
    const background: Promise<unknown>[] = [];
    const opened = openServices({ ...vars, ...bindings }, caller, (work) => void background.push(work));
    const log = (line: Record<string, unknown>) => {
      if (line.level === "error") errors.push(JSON.stringify(line));
    };
    const resolveHost = async () => ["93.184.216.34"];
    return {
      services: { ...opened, fetch: networks.fetch, clock: () => new Date(clock.now()), resolveHost, log },
      background,
    };
  }

  function dispatch(name: string): void {
    const queue = queues.get(name);
    const { batchSize = 1, concurrency = 1 } = settings.get(name) ?? {};
    while (!stopped && queue && queue.running < concurrency) {
      const batch = queue.messages.takeDue(batchSize);
      if (batch.length === 0) return;
      queue.running += 1;
      void consume(batch).finally(() => {
        queue.running -= 1;
        dispatch(name);
      });
    }
  }

  async function consume(batch: QueuedMessage[]): Promise<void> {
    const { services, background } = openModelledServices("queue");
    await consumeDeliveries(services, toBatch(batch)).catch((error) => errors.push(String(error)));
    await Promise.all(background);
  }

  const restore = modelPlatform(clock, vars, database, queries);

  const isIdle = () =>
    [...queues.values()].every(({ messages, running }) => messages.nextAt() > clock.now() && running === 0);
  return {
    queries,
    errors,
    enqueue(ids) {
      for (const id of ids) queues.get("DELIVERIES")?.messages.send([id], {});
      dispatch("DELIVERIES");
    },
    async runSweep() {
      const { services, background } = openModelledServices("cron");
      await enqueueDueDeliveries(services);
      await Promise.all(background);
    },
    async waitUntil(isDone, timeoutMs) {
      for (const end = clock.now() + timeoutMs; clock.now() < end; await clock.sleep(100))
        if (isIdle() && (await clock.track(isDone()))) return true;
      return false;
    },
    stop() {
      stopped = true;
      restore();
    },
  };
}

/** Gives each query a latency, and lets no time pass while the database or a thread of the crypto library works. Returns the undo. */
export function modelPlatform(
  clock: VirtualClock,
  vars: Record<string, string>,
  database: Database,
  queries: QueryTimes,
): () => void {
  const { subtle } = crypto;
  const names = ["decrypt", "importKey", "sign"] as const;
  for (const name of names) {
    const run = subtle[name].bind(subtle) as (...args: unknown[]) => Promise<unknown>;
    Object.defineProperty(subtle, name, {
      configurable: true,
      value: (...args: unknown[]) => clock.track(run(...args)),
    });
  }
  const originalFetch = globalThis.fetch;
  globalThis.fetch = (input, init) =>
    String(input) === vars.DATABASE_FETCH_URL
      ? sendQuery(clock, database, queries, String(init?.body), new Headers(init?.headers))
      : originalFetch(input, init);
  return () => {
    globalThis.fetch = originalFetch;
    for (const name of names) Reflect.deleteProperty(subtle, name);
  };
}

async function sendQuery(
  clock: VirtualClock,
  database: Database,
  queries: QueryTimes,
  body: string,
  headers: Headers,
): Promise<Response> {
  queries.count += 1;
  const { least, most } = QUERY_LATENCY_MS;
  await clock.sleep(least + (most - least) * Math.random());
  const began = performance.now();
  const response = await clock.track(database.respond(body, Object.fromEntries(headers)));
  if (body.includes(CLAIM)) {
    queries.claims.push(performance.now() - began);
    if (queries.claimed.length < KEPT_CLAIMS)
      queries.claimed.push(...listStatements(body).filter(({ query }) => query.includes(CLAIM)));
  }
  return Response.json(response.body, { status: response.status });
}

/** A request is a batch of statements or one. */
function listStatements(body: string): { query: string; params: unknown[] }[] {
  const parsed = JSON.parse(body);
  return parsed.queries ?? [parsed];
}
