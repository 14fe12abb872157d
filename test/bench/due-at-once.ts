// Many posts due at once and in a steady stream, with the latency and failures of real services, on real PostgreSQL if there
// is one. Time is that of the model: it stands still while the machine works, so that a busy machine changes no figure.
// BENCH_DELIVERIES sets the size of the burst, BENCH_SECONDS the length of the stream.
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { BenchDatabase } from "./bench-database.ts";
import { openBenchDatabase } from "./bench-database.ts";
import { createAccounts, createDuePosts } from "./due-accounts.ts";
import { percentile, renderHistogram } from "./histogram.ts";
import { type ModelledRun, QUERY_LATENCY_MS, readConsumerSettings, startConsumers } from "./modelled-consumers.ts";
import {
  createModelledNetworks,
  FAILURES,
  MEAN_NETWORK_MS,
  type ModelledNetworks,
  NETWORK_LATENCY_MS,
} from "./modelled-networks.ts";
import type { BenchContext, Cell, Section, Table } from "./section.ts";
import { createVirtualClock, type VirtualClock } from "./virtual-clock.ts";

const MIB = 1024 * 1024;
const SIZES = {
  short: {
    burst: 600,
    perSecond: 20,
    seconds: 5,
    uploads: 3,
    uploadBytes: 64 * MIB,
    texts: 60,
    paced: 4,
    paceMs: 1_000,
  },
  long: {
    burst: 100_000,
    perSecond: 100,
    seconds: 600,
    uploads: 6,
    uploadBytes: 1024 * MIB,
    texts: 500,
    paced: 10,
    paceMs: 5_000,
  },
} as const;
const DELIVERIES_PER_ACCOUNT = 5;
const BUSY_ACCOUNTS = 1_001;
/** Of the model. */
const TIMEOUT_MS = 60 * 60_000;
const RESULTS = join(import.meta.dirname, "../../.bench");

const section: Section = {
  title: "Posts due at once",

  async run(context) {
    const size = { ...(context.short ? SIZES.short : SIZES.long) };
    const { BENCH_DELIVERIES, BENCH_SECONDS } = process.env;
    const burst = BENCH_DELIVERIES ? Number(BENCH_DELIVERIES) : size.burst;
    const seconds = BENCH_SECONDS ? Number(BENCH_SECONDS) : size.seconds;
    const bench = await openBenchDatabase(context);
    context.log(`on ${bench.engine}`);
    const rows = [
      await runScenario(context, bench, (run) => runBurst(bench, run, burst)),
      await runScenario(context, bench, (run) => runStream(bench, run, size.perSecond, seconds)),
      await runScenario(context, bench, (run) => runPaced(bench, run, size.paced, size.paceMs)),
      await runScenario(context, bench, (run) => runBusyNeighbours(bench, run)),
      await runScenario(context, bench, (run) => runBesideUploads(bench, run, size)),
    ];
    return [toTable(bench, rows, !context.short)];
  },
};

export default section;

interface Scenario {
  name: string;
  deliveries: number;
  /** Whose lateness is measured; by default all. */
  measuredAccounts: string[];
  seconds: number;
}

interface Row extends Scenario {
  published: number;
  duplicates: number;
  ended: boolean;
  latenessMs: number[];
  queriesPerDelivery: number;
  claimMs: number;
  errors: number;
  limitPerSecond: number;
}

interface Run extends ModelledRun {
  clock: VirtualClock;
  isDrained: () => Promise<boolean>;
}

type RunScenario = (run: Run) => Promise<Scenario & { ended: boolean }>;

async function runScenario({ log, short }: BenchContext, bench: BenchDatabase, work: RunScenario): Promise<Row> {
  const clock = createVirtualClock(Date.now());
  const networks = createModelledNetworks(clock, { failing: !short });
  const run = startConsumers(clock, bench.vars, bench.database, networks);
  const isDrained = async () => {
    const [row] = await bench.database.query<{ n: number }>(
      "select count(*)::int as n from post_deliveries where next_attempt_at is not null and status <> 'posted' and lease_token is distinct from $1",
      [BUSY_TOKEN],
    );
    return row?.n === 0;
  };
  try {
    const scenario = await clock.runUntil(work({ ...run, clock, isDrained }));
    const row = await summarize(bench, run, networks, scenario);
    const [p50, p95, p99] = [0.5, 0.95, 0.99].map((share) => Math.round(percentile(row.latenessMs, share)));
    log(`${row.name}: ${Math.round(row.seconds * 10) / 10} s, late p50 ${p50} p95 ${p95} p99 ${p99} ms`);
    if (row.errors > 0) log(`  ${row.errors} errors, such as ${run.errors[0]?.slice(0, 300)}`);
    return row;
  } finally {
    run.stop();
    await bench.database.query("delete from posts");
  }
}

async function summarize(
  { database }: BenchDatabase,
  run: ModelledRun,
  networks: ModelledNetworks,
  scenario: Scenario & { ended: boolean },
): Promise<Row> {
  const posted = await database.query<{ late: number }>(
    `select (extract(epoch from published_at - due_at) * 1000)::float8 as late from post_deliveries
      where status = 'posted' and account_id = any($1::uuid[])`,
    [scenario.measuredAccounts],
  );
  const counts = [...networks.published.values()];
  const queriesPerDelivery = run.queries.count / scenario.deliveries;
  const meanQueryMs = (QUERY_LATENCY_MS.least + QUERY_LATENCY_MS.most) / 2;
  const serviceMs = queriesPerDelivery * meanQueryMs + (networks.calls() / scenario.deliveries) * MEAN_NETWORK_MS;
  const consumers = readConsumerSettings().get("DELIVERIES")?.concurrency ?? 1;
  await mkdir(RESULTS, { recursive: true });
  const latenessMs = posted.map(({ late }) => Number(late));
  const file = join(RESULTS, `lateness-${scenario.name.replaceAll(/\W+/g, "-")}.svg`);
  await writeFile(file, renderHistogram(`${scenario.name}: ${latenessMs.length} posts`, latenessMs));
  return {
    ...scenario,
    published: counts.length,
    duplicates: counts.filter((count) => count > 1).length,
    latenessMs,
    queriesPerDelivery,
    claimMs: percentile(run.queries.claims, 0.1),
    errors: run.errors.length,
    limitPerSecond: (consumers * 1000) / serviceMs,
  };
}

async function runBurst(bench: BenchDatabase, run: Run, deliveries: number) {
  const accounts = await createAccounts(bench, "twitter", Math.ceil(deliveries / DELIVERIES_PER_ACCOUNT));
  const from = new Date(run.clock.now() + 1_000);
  const due = [from, new Date(from.getTime() + 1_000)] as const;
  const ids = await createDuePosts(bench, accounts, { count: deliveries, due, label: "Burst" });
  await bench.database.exec("analyze");
  await run.clock.sleep(from.getTime() - run.clock.now());
  const began = run.clock.now();
  run.enqueue(ids);
  const ended = await drain(run);
  return {
    name: `${deliveries} posts due in one second on ${accounts.accountIds.length} accounts`,
    deliveries,
    measuredAccounts: accounts.accountIds,
    seconds: (run.clock.now() - began) / 1000,
    ended,
  };
}

/** Waits until all is published, with a sweep each minute. */
async function drain(run: Run): Promise<boolean> {
  let isOver = false;
  const sweep = async () => {
    while (!isOver) {
      await run.clock.sleep(60_000);
      if (!isOver) await run.runSweep();
    }
  };
  void sweep();
  try {
    return await run.waitUntil(run.isDrained, TIMEOUT_MS);
  } finally {
    isOver = true;
  }
}

async function runStream(bench: BenchDatabase, run: Run, perSecond: number, seconds: number) {
  const deliveries = perSecond * seconds;
  const accounts = await createAccounts(bench, "twitter", deliveries);
  const from = new Date(run.clock.now() + 1_000);
  const due = [from, new Date(from.getTime() + seconds * 1000)] as const;
  const ids = await createDuePosts(bench, accounts, { count: deliveries, due, label: "Stream" });
  await bench.database.exec("analyze");
  await run.clock.sleep(from.getTime() - run.clock.now());
  const began = run.clock.now();
  for (let sent = 0; sent < deliveries; ) {
    const reached = Math.min(deliveries, Math.floor(((run.clock.now() - from.getTime()) / 1000) * perSecond));
    run.enqueue(ids.slice(sent, reached));
    sent = Math.max(sent, reached);
    await run.clock.sleep(20);
  }
  const ended = await drain(run);
  return {
    name: `${perSecond} posts a second for ${seconds} s`,
    deliveries,
    measuredAccounts: accounts.accountIds,
    seconds: (run.clock.now() - began) / 1000,
    ended,
  };
}

async function runPaced(bench: BenchDatabase, run: Run, count: number, paceMs: number) {
  const accounts = await createAccounts(bench, "twitter", 1);
  const from = new Date(run.clock.now() + 500);
  const due = [from, new Date(from.getTime() + count * paceMs)] as const;
  const ids = await createDuePosts(bench, accounts, { count, due, label: "Paced" });
  const began = run.clock.now();
  for (const [at, id] of ids.entries()) {
    await run.clock.sleep(from.getTime() + at * paceMs - run.clock.now());
    run.enqueue([id]);
  }
  const ended = await drain(run);
  return {
    name: `${count} posts of one account ${paceMs / 1000} s apart`,
    deliveries: count,
    measuredAccounts: accounts.accountIds,
    seconds: (run.clock.now() - began) / 1000,
    ended,
  };
}

const BUSY_TOKEN = "00000000-0000-4000-8000-000000000016";

/** The message of one due post was lost, and the accounts of another customer cannot be served; the sweep finds it. */
async function runBusyNeighbours(bench: BenchDatabase, run: Run) {
  const { database } = bench;
  const past = [new Date(run.clock.now() - 60_000), new Date(run.clock.now() - 50_000)] as const;
  const busy = await createAccounts(bench, "twitter", BUSY_ACCOUNTS);
  await createDuePosts(bench, busy, { count: BUSY_ACCOUNTS * DELIVERIES_PER_ACCOUNT, due: past, label: "Busy" });
  await database.query(
    `with held as (update accounts set lease_token = $1::uuid, lease_until = now() + interval '10 hours'
        where id = any($2::uuid[]))
      update post_deliveries set lease_token = $1::uuid, lease_until = now() + interval '10 hours' where account_id = any($2::uuid[])`,
    [BUSY_TOKEN, busy.accountIds],
  );
  const accounts = await createAccounts(bench, "twitter", 1);
  const now = new Date(run.clock.now());
  await createDuePosts(bench, accounts, { count: 1, due: [now, now], label: "Lost message" });
  await database.exec("analyze");
  const began = run.clock.now();
  await run.runSweep();
  const ended = await run.waitUntil(run.isDrained, TIMEOUT_MS);
  return {
    name: `a lost message beside ${BUSY_ACCOUNTS} busy accounts, from the sweep on`,
    deliveries: 1,
    measuredAccounts: accounts.accountIds,
    seconds: (run.clock.now() - began) / 1000,
    ended,
  };
}

interface UploadSize {
  uploads: number;
  uploadBytes: number;
  texts: number;
}

async function runBesideUploads(bench: BenchDatabase, run: Run, size: UploadSize) {
  const { uploads, uploadBytes, texts } = size;
  const videos = await createAccounts(bench, "tiktok", uploads);
  const accounts = await createAccounts(bench, "twitter", texts);
  const from = new Date(run.clock.now() + 1_000);
  const due = [from, from] as const;
  const uploadIds = await createDuePosts(bench, videos, { count: uploads, due, label: "Upload" });
  const ids = await createDuePosts(bench, accounts, { count: texts, due, label: "Text" });
  await bench.database.query(
    `update posts set media = jsonb_build_object('type', 'video', 'url', 'https://media.example.com/a.mp4?size=' || $1,
      'bytes', $1::bigint, 'duration_seconds', 60, 'mime_type', 'video/mp4')
      where id in (select post_id from post_deliveries where account_id = any($2::uuid[]))`,
    [String(uploadBytes), videos.accountIds],
  );
  await bench.database.exec("analyze");
  await run.clock.sleep(from.getTime() - run.clock.now());
  const began = run.clock.now();
  // One message for all, as the sweep sends them: what belongs together is for the service to decide.
  await run.runSweep();
  run.enqueue([...uploadIds, ...ids]);
  const ended = await drain(run);
  return {
    name: `${texts} text posts beside ${uploads} uploads of ${Math.round(uploadBytes / MIB)} MiB`,
    deliveries: uploads + texts,
    measuredAccounts: accounts.accountIds,
    seconds: (run.clock.now() - began) / 1000,
    ended,
  };
}

function toTable(bench: BenchDatabase, rows: Row[], failing: boolean): Table {
  const consumers = [...readConsumerSettings()].map(
    ([name, { concurrency }]) => `${concurrency} ${name.toLowerCase()}`,
  );
  const { least, most } = NETWORK_LATENCY_MS;
  const failures = failing ? Object.values(FAILURES).reduce((sum, share) => sum + share, 0) : 0;
  return {
    title: `Lateness with modelled latency, on ${bench.engine}`,
    note:
      `${QUERY_LATENCY_MS.least} to ${QUERY_LATENCY_MS.most} ms a query, ${least} to ${most} ms a call of a network, of which ${failures * 100} % fail. ` +
      `Consumers as the platform grants at most: ${consumers.join(", ")}, one process for all. The limit is consumers / time per post. ` +
      "A claim is what a tenth of them took at most in the database, on this machine. Failed calls whose outcome is unknown are reconciled after a minute. Histograms are in .bench/lateness-*.svg.",
    rows: rows.map((row): Record<string, Cell> => {
      const late = (share: number) => Math.round(percentile(row.latenessMs, share));
      return {
        scenario: row.name,
        "drained, s": Math.round(row.seconds * 10) / 10,
        "a second": Math.round(row.deliveries / row.seconds),
        limit: Math.round(row.limitPerSecond),
        "late p50, ms": late(0.5),
        "p95, ms": late(0.95),
        "p99, ms": late(0.99),
        "queries each": Math.round(row.queriesPerDelivery * 10) / 10,
        "claim, ms": Math.round(row.claimMs * 10) / 10,
        twice: row.duplicates,
        lost: row.deliveries - row.published,
      };
    }),
    counted: true,
    broken: rows.flatMap(({ name, ended, duplicates, deliveries, published }) => [
      ...(ended ? [] : [`${name}: not drained`]),
      ...(duplicates > 0 ? [`${name}: ${duplicates} published twice`] : []),
      ...(ended && published < deliveries ? [`${name}: ${deliveries - published} lost`] : []),
    ]),
  };
}
