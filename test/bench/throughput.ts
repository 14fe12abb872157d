// Reads through the Worker compared with bare Hono routes that send the same SQL through the same driver, in turns.
import { performance } from "node:perf_hooks";
import { BASE_PATH } from "../../lib/shared/paths.ts";
import { median } from "../support/statistics.ts";
import { sendGet, startBareHono } from "./bare-hono.ts";
import { createClient } from "./client.ts";
import { type RecordedRequest, recordRequest } from "./record-sql.ts";
import type { BenchContext, Cell, Section, Table } from "./section.ts";

const PATHS = ["/accounts", "/posts"] as const;
const POSTS = 20;
const CONCURRENCY = 10;
/** Each round measures every target for this long, so that load of the machine affects all alike. */
const SHORT = { warmUp: 40, rounds: 3, ms: 300 };
const LONG = { warmUp: 1_000, rounds: 45, ms: 500 };

interface Target {
  what: string;
  /** Of the service, whose SQL it sends; for all but a route without SQL. */
  path?: string;
  sendRequest: () => Promise<unknown>;
}

/** The rates of a path are compared with these. */
const BASELINES = { together: "one request to the database", apart: "a request per statement" } as const;

const toBaseline = (path: string, sent: keyof typeof BASELINES) => `bare Hono, SQL of GET ${path}, ${BASELINES[sent]}`;

const section: Section = {
  title: "Requests per second",

  async run(context) {
    const limit = context.short ? SHORT : LONG;
    await createPosts(context);
    const headers = { authorization: `Bearer ${context.stack.seed.keys.workspace}` };
    const recorded = new Map<string, RecordedRequest>();
    for (const path of PATHS) recorded.set(path, await recordRequest(context, "workspace", path));
    const statements = Object.fromEntries([...recorded].map(([path, request]) => [path, request.statements]));
    const bare = await startBareHono(context, statements);
    const targets: Target[] = [
      { what: "bare Hono route without SQL", sendRequest: () => bare.sendRequest("/") },
      ...PATHS.flatMap((path) => [
        {
          what: `SQL of GET ${path}, without a Worker`,
          path,
          sendRequest: () => recorded.get(path)?.replay() ?? Promise.reject(),
        },
        { what: toBaseline(path, "together"), path, sendRequest: () => bare.sendRequest(`/together${path}`) },
        { what: toBaseline(path, "apart"), path, sendRequest: () => bare.sendRequest(`/apart${path}`) },
        {
          what: `GET ${path}`,
          path,
          sendRequest: () => sendGet(`${context.worker.url}${BASE_PATH}${path}`, headers),
        },
      ]),
    ];
    const rates = await measureInTurns(context, targets, limit);
    return [toRateTable(targets, rates, limit)];
  },
};

export default section;

/** Creates posts, so that lists are not empty. */
async function createPosts(context: BenchContext): Promise<void> {
  const api = createClient(context, "workspace");
  const body = api.buildPost(await api.finalize(await api.upload(), {}));
  for (let created = 0; created < POSTS; created++) await api.call("POST", "/posts", { body });
}

/** Requests per second of each target, one number a round. */
async function measureInTurns({ log }: BenchContext, targets: Target[], { warmUp, rounds, ms }: typeof LONG) {
  const rates = new Map<string, number[]>(targets.map(({ what }) => [what, []]));
  for (const { sendRequest } of targets) await measureRate({ requests: warmUp, ms: 60_000 }, sendRequest);
  for (let round = 0; round < rounds; round++) {
    // Every second round in reverse order: what one target leaves unfinished slows the next one, by up to 4 % in one order.
    for (const { what, sendRequest } of round % 2 === 0 ? targets : targets.toReversed()) {
      rates.get(what)?.push(await measureRate({ requests: Number.POSITIVE_INFINITY, ms }, sendRequest));
    }
  }
  for (const { what } of targets) log(`${what}: ${Math.round(median(rates.get(what) ?? []))}/s`);
  return rates;
}

async function measureRate(
  { requests, ms }: { requests: number; ms: number },
  sendRequest: Target["sendRequest"],
): Promise<number> {
  let started = 0;
  const startedAt = performance.now();
  const loop = async () => {
    while (started < requests && performance.now() - startedAt < ms) {
      started += 1;
      await sendRequest();
    }
  };
  await Promise.all(Array.from({ length: CONCURRENCY }, loop));
  return (started * 1000) / (performance.now() - startedAt);
}

function toRateTable(targets: Target[], rates: Map<string, number[]>, { rounds, ms }: typeof LONG): Table {
  return {
    title: `Requests per second, ${CONCURRENCY} at a time, ${rounds} rounds of ${ms / 1000} s each, in turns`,
    note:
      "Medians of the rounds. Load, database and Workers share this machine; both Workers run on the same runtime. " +
      "A ratio is the median of each round's ratio to the bare Hono Worker that sends its statements so. Only the service " +
      "authenticates, validates, has headers of its own and writes a log line. Responses are not compressed.",
    rows: targets.map(({ what, path }): Record<string, Cell> => {
      const own = rates.get(what) ?? [];
      const compare = (sent: keyof typeof BASELINES): Record<string, Cell> => {
        const base = path ? (rates.get(toBaseline(path, sent)) ?? []) : [];
        const ratios = own.map((rate, round) => rate / (base[round] ?? Number.NaN));
        return path ? { [`beside ${BASELINES[sent]}`]: round2(median(ratios)) } : {};
      };
      return { what, "a second": Math.round(median(own)), ...compare("together"), ...compare("apart") };
    }),
    broken: [],
  };
}

function round2(value: number): number {
  return Math.round(value * 100) / 100;
}
