// Many posts due at once (BENCH_DELIVERIES) and in a steady stream (BENCH_SECONDS), with modelled latency and failures, on real
// PostgreSQL if there is one. The clock of the model stands still while the machine works: a busy machine changes no figure.
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { percentile } from "../support/statistics.ts";
import type { BenchDatabase } from "./bench-database.ts";
import { openBenchDatabase } from "./bench-database.ts";
import {
  runBesideUploads,
  runBurst,
  runBusyNeighbours,
  runPaced,
  runStream,
  type Scenario,
  type ScenarioRun,
} from "./due-scenarios.ts";
import { renderHistogram } from "./histogram.ts";
import { type ModelledRun, QUERY_LATENCY_MS, readConsumerSettings } from "./modelled-consumers.ts";
import { FAILURES, MEAN_NETWORK_MS, type ModelledNetworks, NETWORK_LATENCY_MS } from "./modelled-networks.ts";
import { runModel } from "./run-model.ts";
import type { BenchContext, Cell, Section, Table } from "./section.ts";

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

type RunScenario = (run: ScenarioRun) => Promise<Scenario>;

function runScenario(context: BenchContext, bench: BenchDatabase, work: RunScenario): Promise<Row> {
  return runModel(context, bench, work, async (scenario, run, networks) => {
    const row = await summarize(bench, run, networks, scenario);
    const [p50, p95, p99] = [0.5, 0.95, 0.99].map((share) => Math.round(percentile(row.latenessMs, share)));
    context.log(`${row.name}: ${Math.round(row.seconds * 10) / 10} s, late p50 ${p50} p95 ${p95} p99 ${p99} ms`);
    if (row.errors > 0) context.log(`  ${row.errors} errors, such as ${run.errors[0]?.slice(0, 300)}`);
    return row;
  });
}

async function summarize(
  { database }: BenchDatabase,
  run: ModelledRun,
  networks: ModelledNetworks,
  scenario: Scenario,
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
