// The time of one claim in the database while many deliveries are due and no other consumer runs: the statement of a real claim,
// on a connection of its own, rolled back each time.
import { performance } from "node:perf_hooks";
import pg from "pg";
import { percentile } from "../support/statistics.ts";
import { type BenchDatabase, openBenchDatabase } from "./bench-database.ts";
import { createAccounts, createDuePosts } from "./due-accounts.ts";
import { DELIVERIES_PER_ACCOUNT, type ScenarioRun } from "./due-scenarios.ts";
import { runModel } from "./run-model.ts";
import type { BenchContext, Section, Table } from "./section.ts";

const DELIVERIES = { short: 2_000, long: 100_000 };
const CLAIMS = 600;
/** One in so many claims is not counted. */
const WARM_UP_SHARE = 6;
const MAX_MS = 3;
/** Of the model: the first post is published within it. */
const TIMEOUT_MS = 60_000;

const section: Section = {
  title: "Single claims",

  async run(context: BenchContext) {
    const bench = await openBenchDatabase(context);
    context.log(`on ${bench.engine}`);
    if (!bench.databaseUrl)
      throw new Error("This section needs a PostgreSQL server: the embedded one has one connection.");
    const { databaseUrl } = bench;
    const deliveries = context.short ? DELIVERIES.short : DELIVERIES.long;
    return runModel(
      context,
      bench,
      (run) => publishFirst(bench, run, deliveries),
      async (ids, run) => [await measureClaims(databaseUrl, run, ids)],
    );
  },
};

export default section;

/** Publishes the first of so many due posts, and returns the ids of all. */
async function publishFirst(bench: BenchDatabase, run: ScenarioRun, deliveries: number): Promise<string[]> {
  const accounts = await createAccounts(bench, "twitter", Math.ceil(deliveries / DELIVERIES_PER_ACCOUNT));
  const due = [new Date(run.clock.now() - 2_000), new Date(run.clock.now() - 1_000)] as const;
  const ids = await createDuePosts(bench, accounts, { count: deliveries, due, label: "Claims" });
  await bench.database.exec("analyze");
  run.enqueue(ids.slice(0, 1));
  await run.waitUntil(async () => true, TIMEOUT_MS);
  return ids;
}

async function measureClaims(
  databaseUrl: string,
  { queries }: ScenarioRun,
  [first = "", ...others]: string[],
): Promise<Table> {
  const statement = queries.claimed.find((one) => JSON.stringify(one.params).includes(first));
  if (!statement) throw new Error("No claim was recorded");
  // The first due deliveries are of different accounts, which are free.
  const sample = others.slice(0, Math.min(CLAIMS, others.length / DELIVERIES_PER_ACCOUNT / 2));
  const times = await timeClaims(databaseUrl, sample, (id) => ({
    text: statement.query,
    values: JSON.parse(JSON.stringify(statement.params).replaceAll(first, id)),
  }));
  return toTable(others.length + 1, times.slice(sample.length / WARM_UP_SHARE));
}

async function timeClaims(
  databaseUrl: string,
  ids: string[],
  build: (id: string) => { text: string; values: unknown[] },
): Promise<number[]> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    const times: number[] = [];
    for (const id of ids) {
      await client.query("begin");
      const began = performance.now();
      const { rowCount } = await client.query(build(id));
      times.push(performance.now() - began);
      await client.query("rollback");
      if (rowCount === 0) throw new Error(`Nothing was claimed for ${id}`);
    }
    return times;
  } finally {
    await client.end();
  }
}

function toTable(deliveries: number, times: number[]): Table {
  const [p50, p95] = [percentile(times, 0.5), percentile(times, 0.95)];
  const ok = p50 <= MAX_MS;
  return {
    title: `One claim at a time, ${deliveries} deliveries due`,
    note: "The whole statement with planning, one connection, rolled back.",
    rows: [
      {
        claims: times.length,
        "p50, ms": Math.round(p50 * 100) / 100,
        "p95, ms": Math.round(p95 * 100) / 100,
        "at most, ms": MAX_MS,
        ok: ok ? "yes" : "no",
      },
    ],
    counted: false,
    broken: ok ? [] : [`a claim takes ${p50} ms`],
  };
}
