// From the commit of an event to its arrival at 1,000 webhooks while another one stalls, in time of a model with the consumers that
// wrangler.toml grants. The stalling one belongs to a scope of its own and, once more, to a scope with a healthy one.
import { v7 as newId } from "uuid";
import { consumeWebhooks } from "../../functions/queue/webhooks.ts";
import { sealWebhookSecret } from "../../lib/events/webhook-secrets.ts";
import { openServices, type Services } from "../../lib/services/context.ts";
import type { WebhooksMessage } from "../../lib/services/env.ts";
import { createQueue } from "../support/queue.ts";
import { percentile } from "../support/statistics.ts";
import { openBenchDatabase } from "./bench-database.ts";
import { modelPlatform, type QueryTimes, readConsumerSettings } from "./modelled-consumers.ts";
import type { Section } from "./section.ts";
import { createVirtualClock, type VirtualClock } from "./virtual-clock.ts";

const SIZES = { short: { webhooks: 100, events: 2 }, long: { webhooks: 1_000, events: 5 } } as const;
/** Events begin within so much time. */
const SPREAD_MS = 10_000;
/** No figure of the platform is published for it; assumed. */
const QUEUE_LATENCY_MS = 100;
const ENDPOINT_LATENCY_MS = { least: 50, most: 800 } as const;
/** Of all webhooks of the model. */
const SECRET = `whsec_${Buffer.alloc(32, 7).toString("base64")}`;
const STALL_MS = 15_000;
const MAX_P99_MS = 2_000;

interface Arrival {
  webhook: string;
  ms: number;
}

interface Message {
  at: number;
  body: WebhooksMessage;
}

const section: Section = {
  title: "Webhooks",

  async run(context) {
    const size = context.short ? SIZES.short : SIZES.long;
    const bench = await openBenchDatabase(context);
    const { query } = bench.database;
    // Ahead of the clock of the database, which writes when a delivery is due.
    const clock = createVirtualClock(Date.now() + 60 * 60 * 1000);
    const queries: QueryTimes = { count: 0, claims: [], claimed: [] };
    const arrivals: Arrival[] = [];
    const committed = new Map<string, number>();
    const names = Array.from({ length: size.webhooks }, (_, n) => `webhook-${n}.example.com`);
    const scopes = [
      ...names.map((name) => [name]),
      ["stalling.example.com"],
      ["stalling.example.com", "neighbour.example.com"],
    ];
    const tokenKeys = { current: bench.vars.TOKEN_KEY ?? "" };
    const seal = (id: string) => sealWebhookSecret({ tokenKeys }, id, SECRET);
    const accounts = await Promise.all(scopes.map((hosts) => createScope(query, hosts, seal, size.events)));

    const receive = async (address: string, init: RequestInit): Promise<Response> => {
      const { hostname } = new URL(address);
      if (hostname.startsWith("stalling")) await stall(clock);
      const { least, most } = ENDPOINT_LATENCY_MS;
      await clock.sleep(least * (most / least) ** Math.random());
      const { id } = JSON.parse(Buffer.from(init.body as Uint8Array).toString()).data.object;
      const began = committed.get(id);
      if (began !== undefined) arrivals.push({ webhook: hostname, ms: clock.now() - began });
      return new Response("ok");
    };
    const queue = startQueue(clock, bench.vars, receive);
    const restore = modelPlatform(clock, bench.vars, bench.database, queries);
    try {
      await clock.runUntil(
        (async () => {
          await Promise.all(
            accounts.map(async ({ scopeId, accountIds }) => {
              for (const id of accountIds) {
                await clock.sleep((SPREAD_MS / size.events) * Math.random());
                await clock.track(query("update accounts set status = 'disconnected' where id = $1", [id]));
                committed.set(id, clock.now());
                queue.send({ scopeIds: [scopeId] }, 0);
              }
            }),
          );
          await queue.drain();
        })(),
      );
    } finally {
      queue.stop();
      restore();
    }
    const healthy = arrivals.filter(({ webhook }) => !webhook.startsWith("stalling"));
    const expected = (size.webhooks + 1) * size.events;
    const ms = (share: number) =>
      Math.round(
        percentile(
          healthy.map((one) => one.ms),
          share,
        ),
      );
    const p99 = ms(0.99);
    return [
      {
        title: `Events of ${size.webhooks} webhooks on ${bench.engine} while one stalls ${STALL_MS / 1000} s each time`,
        note: "From the commit to the response of the receiver, in milliseconds of the model.",
        rows: [
          {
            ...{ events: healthy.length, p50: ms(0.5), p95: ms(0.95), p99, "at most": MAX_P99_MS },
            ...{
              most: Math.max(...healthy.map((one) => one.ms)),
              "queries an event": Math.round((queries.count / expected) * 10) / 10,
            },
            ok: p99 <= MAX_P99_MS && healthy.length === expected ? "yes" : "no",
          },
        ],
        broken: [
          ...(p99 <= MAX_P99_MS ? [] : [`p99 is ${p99} ms, the limit is ${MAX_P99_MS}`]),
          ...(healthy.length === expected ? [] : [`${healthy.length} of ${expected} events arrived once`]),
        ],
      },
    ];
  },
};

export default section;

/** The request is aborted by the time limit of the sender, which counts real time here: so it ends by itself. */
async function stall(clock: VirtualClock): Promise<never> {
  await clock.sleep(STALL_MS);
  throw new DOMException("The operation timed out.", "TimeoutError");
}

type Query = Awaited<ReturnType<typeof openBenchDatabase>>["database"]["query"];

async function createScope(query: Query, hosts: string[], seal: (id: string) => Promise<string>, events: number) {
  const scopeId = newId();
  for (const host of hosts) {
    const id = newId();
    await query(
      "insert into webhooks (id, owner_id, workspace_id, url, types, secret) values ($1, $2, $2, $3, '{*}', $4)",
      [...[id, scopeId, `https://${host}/`, await seal(id)]],
    );
  }
  const accountIds = Array.from({ length: events }, () => newId());
  await query(
    `insert into accounts (id, owner_id, workspace_id, platform, type, status, username, display_name, external_id)
     select id, $2, $2, 'bluesky', 'byo', 'paused', id::text, 'Model', id::text from unnest($1::uuid[]) id`,
    [accountIds, scopeId],
  );
  return { scopeId, accountIds };
}

/** The queue of the platform with as many consumers at once as wrangler.toml grants. */
function startQueue(
  clock: VirtualClock,
  vars: Record<string, string>,
  receive: (url: string, init: RequestInit) => Promise<Response>,
) {
  const [[, settings] = []] = readConsumerSettings(["WEBHOOKS"]);
  const most = settings?.concurrency ?? 1;
  const waiting: Message[] = [];
  let running = 0;
  let stopped = false;

  const bindings = {
    ...vars,
    WEBHOOKS: createQueue<WebhooksMessage>(({ delaySeconds, ...body }) => send(body as WebhooksMessage, delaySeconds)),
  };

  function send(body: WebhooksMessage, delaySeconds: number): void {
    const delayMs = QUEUE_LATENCY_MS + delaySeconds * 1000;
    waiting.push({ at: clock.now() + delayMs, body });
    void clock.sleep(delayMs).then(dispatch);
  }

  function openConsumer(background: Promise<unknown>[]): Services {
    const opened = openServices(bindings, "queue", (work) => void background.push(work));
    const fetchReceiver = ((url, init = {}) => receive(String(url), init)) as typeof fetch;
    return {
      ...opened,
      fetch: fetchReceiver,
      clock: () => new Date(clock.now()),
      resolveHost: async () => ["93.184.216.34"],
      log: () => undefined,
    };
  }

  function dispatch(): void {
    while (!stopped && running < most) {
      const place = waiting.findIndex(({ at }) => at <= clock.now());
      const [message] = place < 0 ? [] : waiting.splice(place, 1);
      if (!message) return;
      running += 1;
      const background: Promise<unknown>[] = [];
      const batch = { messages: [{ id: "m", timestamp: new Date(), attempts: 1, body: message.body }] };
      void consumeWebhooks(openConsumer(background), batch as unknown as MessageBatch<WebhooksMessage>)
        .then(() => Promise.all(background))
        .finally(() => {
          running -= 1;
          dispatch();
        });
    }
  }

  return {
    send,
    /** Waits until nothing is running or due; retries of the stalling webhook wait longer. */
    async drain() {
      for (let quiet = 0; quiet < 20; await clock.sleep(100)) {
        const isBusy = running > 1 || waiting.some(({ at }) => at <= clock.now() + QUEUE_LATENCY_MS);
        quiet = isBusy ? 0 : quiet + 1;
      }
    },
    stop() {
      stopped = true;
    },
  };
}
