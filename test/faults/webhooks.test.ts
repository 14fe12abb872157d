// Webhooks under faults, in time of a model: a receiver that fails one request in three, drops one in ten after reading it and is
// away for a while, consumers that end after a request, and messages that come twice or never.
import { randomBytes } from "node:crypto";
import { isDeepStrictEqual } from "node:util";
import { sql } from "drizzle-orm";
import pLimit from "p-limit";
import { Webhook as Verifier } from "standardwebhooks";
import { expect, inject, test, vi } from "vitest";
import { enqueueDueWebhooks } from "../../functions/cron/webhooks.ts";
import { consumeWebhooks } from "../../functions/queue/webhooks.ts";
import { openServices, type Services } from "../../lib/services/context.ts";
import type { WebhooksMessage } from "../../lib/services/env.ts";
import { at } from "../../lib/shared/at.ts";
import { MINUTE_MS } from "../../lib/shared/durations.ts";
import { interceptStatements } from "../publishing/intercept-statements.ts";
import { createTestAccount, createTestTenant, openTestDatabase, type Tenant, vars } from "../support/harness.ts";
import { createQueue } from "../support/queue.ts";

/** 10,000 take ten minutes. */
const EVENTS = Number(process.env.WEBHOOK_EVENTS ?? 1_000);
const OBJECTS = EVENTS / 50;
const WRITERS = 100;
const CONSUMERS = 6;
/** So long the receiver fails: of the twelve attempts of three days, seven are made in this time. */
const REPAIRED_MS = 20 * 60 * MINUTE_MS;
const END_MS = 3 * 24 * 60 * MINUTE_MS;
const AWAY_MS = { from: 2 * MINUTE_MS, to: 20 * MINUTE_MS };
const SHARES = { failed: 1 / 3, dropped: 1 / 10, killed: 1 / 100, doubled: 1 / 5, lost: 1 / 20 } as const;

interface Received {
  at: number;
  body: string;
  headers: Record<string, string>;
  accepted: boolean;
}

interface Event {
  id: string;
  sequence: number;
  data: { object: { id: string } };
}

interface Message {
  at: number;
  body: WebhooksMessage;
}

/** Queue, consumers and receiver with one clock. */
function createModel(start: number, chance: () => number) {
  let now = start;
  const messages: Message[] = [];
  const received: Received[] = [];
  const counts = { failed: 0, dropped: 0, away: 0, killed: 0, doubled: 0, lost: 0 };

  const enqueue = (body: WebhooksMessage, delaySeconds: number) => {
    if (chance() < SHARES.lost) counts.lost += 1;
    else messages.push({ at: now + delaySeconds * 1000, body });
    if (chance() >= SHARES.doubled) return;
    counts.doubled += 1;
    messages.push({ at: now + delaySeconds * 1000 + 2_000, body });
  };

  /** `end` ends the consumer: nothing that it does afterwards has an effect. */
  async function receive(init: RequestInit, end: () => void): Promise<Response> {
    const headers = Object.fromEntries(new Headers(init.headers));
    const request = { at: now, body: Buffer.from(init.body as Uint8Array).toString(), headers, accepted: false };
    // Requests that do not arrive are attempts, too.
    received.push(request);
    const since = now - start;
    if (since > AWAY_MS.from && since < AWAY_MS.to) {
      counts.away += 1;
      throw new TypeError("fetch failed");
    }
    const isRepaired = since > REPAIRED_MS;
    if (!isRepaired && chance() < SHARES.failed) {
      counts.failed += 1;
      return new Response("later", { status: 503 });
    }
    request.accepted = true;
    if (chance() < SHARES.killed) {
      counts.killed += 1;
      end();
    }
    if (isRepaired || chance() >= SHARES.dropped) return new Response("ok");
    counts.dropped += 1;
    throw new TypeError("terminated");
  }

  function openConsumer(): Services {
    let isOver = false;
    const bindings = {
      ...vars,
      WEBHOOKS: createQueue<WebhooksMessage>(({ delaySeconds, ...body }) =>
        enqueue(body as WebhooksMessage, delaySeconds),
      ),
    };
    const opened = openServices(bindings, "queue.faults", (work) => void work.catch(() => undefined));
    const db = interceptStatements(opened.db, async (_query, _params, run) => {
      if (isOver) throw new Error("the consumer has ended");
      return run();
    });
    const fetchReceiver = ((_url, init = {}) =>
      receive(init, () => {
        isOver = true;
      })) as typeof fetch;
    return {
      ...opened,
      db,
      fetch: fetchReceiver,
      clock: () => new Date(now),
      resolveHost: async () => ["93.184.216.34"],
      log: () => undefined,
    };
  }

  async function runCron(): Promise<void> {
    await enqueueDueWebhooks(openConsumer());
  }

  /** Runs due messages, a few at once, until none is due. */
  async function runDue(): Promise<void> {
    for (;;) {
      const due = messages.filter((message) => message.at <= now);
      if (due.length === 0) return;
      const limit = pLimit(CONSUMERS);
      for (const message of due) messages.splice(messages.indexOf(message), 1);
      await Promise.all(
        due.map(({ body }) =>
          limit(async () => {
            const batch = { messages: [{ id: "message", timestamp: new Date(now), attempts: 1, body }] };
            await consumeWebhooks(openConsumer(), batch as unknown as MessageBatch<WebhooksMessage>).catch(
              () => undefined,
            );
          }),
        ),
      );
    }
  }

  return {
    received,
    counts,
    enqueue,
    runDue,
    async runUntil(end: number, isDone: () => Promise<boolean>): Promise<void> {
      for (let minute = 0; now < start + end && !(await isDone()); minute++) {
        await runCron();
        // The retry after five seconds has a message of its own.
        for (const step of [0, 6_000, 12_000, MINUTE_MS - 18_000]) {
          now += step;
          await runDue();
        }
        // Later retries are hours apart.
        const next = Math.min(...messages.map((message) => message.at));
        if (minute > 30 && Number.isFinite(next)) now = Math.max(now, next - 1_000);
        else if (minute > 30) now += 10 * MINUTE_MS;
      }
    },
  };
}

async function writeEvents(tenant: Tenant): Promise<void> {
  const accounts = await Promise.all(Array.from({ length: OBJECTS }, () => createTestAccount(tenant, "bluesky")));
  const db = openTestDatabase();
  const limit = pLimit(WRITERS);
  const change = (id: string) =>
    limit(() =>
      db.execute(
        sql`update accounts set status = case status when 'active' then 'disconnected' else 'active' end where id = ${id}`,
      ),
    );
  await Promise.all(
    accounts.map(async ({ id }) => {
      for (let n = 1; n < EVENTS / OBJECTS; n++) await change(id);
    }),
  );
}

async function readFeed({ api }: Tenant): Promise<Event[]> {
  const events: Event[] = [];
  for (let after = "", more = true; more; ) {
    const { data } = (await api.get(`/events?limit=200${after}`)).body;
    events.push(...data.events);
    after = `&after=${data.next_after}`;
    more = data.has_more;
  }
  return events;
}

/** Events that were sent before an earlier one of their object had arrived or was tried three times. */
function findOvertakes(received: Received[]): string[] {
  const state = new Map<string, { object: string; sequence: number; tries: number; arrived: boolean }>();
  const overtakes: string[] = [];
  for (const { body, headers, accepted } of received) {
    const event = JSON.parse(body) as Event;
    const id = at([headers["webhook-id"] ?? ""], 0);
    const known = state.get(id) ?? { object: event.data.object.id, sequence: event.sequence, tries: 0, arrived: false };
    if (known.tries === 0) {
      for (const other of state.values()) {
        const isEarlier = other.object === known.object && other.sequence < known.sequence;
        if (isEarlier && !other.arrived && other.tries < 3) overtakes.push(`${id} before ${other.sequence}`);
      }
    }
    state.set(id, { ...known, tries: known.tries + 1, arrived: known.arrived || accepted });
  }
  return overtakes;
}

test(
  `${EVENTS} events arrive, in order per object, and agree with the feed row by row`,
  async () => {
    const tenant = await createTestTenant();
    const created = await tenant.api.post("/webhooks", { url: `${inject("receiver")}/hook`, types: ["*"] });
    expect(created.status, JSON.stringify(created.body)).toBe(201);
    const { id: webhookId, secret } = created.body.data;
    const seed = randomBytes(4).readUInt32BE();
    let state = seed;
    // The generator of Numerical Recipes is enough for chances.
    const chance = () => {
      state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
      return state / 2 ** 32;
    };
    const model = createModel(Date.now() + 1_000, chance);
    await writeEvents(tenant);
    model.enqueue({ webhookIds: [webhookId] }, 0);
    const isDone = async () => {
      const { rows } = await openTestDatabase().execute<{ open: string }>(
        sql`select count(*) as open from webhook_deliveries where webhook_id = ${webhookId} and next_attempt_at is not null`,
      );
      return Number(rows[0]?.open) === 0;
    };
    await model.runUntil(END_MS, isDone);

    const feed = await readFeed(tenant);
    expect(feed).toHaveLength(EVENTS);
    expect(feed.map(({ sequence }) => sequence)).toEqual(feed.map((_, place) => place + 1));
    const verifier = new Verifier(secret);
    const accepted = new Map<string, Event>();
    let forged = 0;
    for (const { at: time, body, headers, accepted: isAccepted } of model.received) {
      vi.setSystemTime(time);
      const event = verifier.verify(body, headers) as Event;
      expect(headers["webhook-id"]).toBe(event.id);
      if (isAccepted) accepted.set(event.id, event);
      const tampered = body.replace(/"sequence":\d+/, '"sequence":0');
      expect(() => verifier.verify(tampered, headers)).toThrow();
      forged += 1;
    }
    vi.useRealTimers();
    const differing = feed.filter((event) => !isDeepStrictEqual(accepted.get(event.id), event));
    // The reporter shows nothing of a test that passes.
    const figures = { seed, events: feed.length, requests: model.received.length, forged, ...model.counts };
    process.stdout.write(`webhooks: ${JSON.stringify(figures)}\n`);
    expect(differing.map(({ sequence }) => sequence)).toEqual([]);
    expect(accepted.size).toBe(EVENTS);
    expect(findOvertakes(model.received)).toEqual([]);
    for (const count of Object.values(model.counts)) expect(count).toBeGreaterThan(0);
  },
  EVENTS * 150,
);
