// Thousands of deliveries due at once, two publishers, one of them killed half way: no duplicates, no losses.
import { performance } from "node:perf_hooks";
import type { Platform } from "../../lib/shared/platforms.ts";
import { insertPosts } from "../support/insert-posts.ts";
import type { BenchContext, Cell, Section } from "./section.ts";
import { runSimulatedQueue } from "./simulated-queue.ts";
import { createBenchTenant } from "./tenant.ts";

const SIZES = { short: { deliveries: 600, accounts: 40 }, long: { deliveries: 10_000, accounts: 200 } };
const PLATFORMS: Platform[] = ["threads", "bluesky", "twitter"];
const PUBLISHERS = 2;
const LABEL = "Due";
const MAX_MINUTES = 120;

const section: Section = {
  title: "Publishing at scale",

  async run(context) {
    const { stack, short, log } = context;
    const { deliveries, accounts } = short ? SIZES.short : SIZES.long;
    const platforms = Array.from({ length: accounts }, (_, at) => PLATFORMS[at % PLATFORMS.length] ?? "threads");
    const { tenant, accountIds } = await createBenchTenant(context, platforms);
    const at = (ago: number) => new Date(Date.now() - ago);
    const spread = { created: [at(120_000), at(60_000)], due: [at(10_000), at(1_000)] } as const;
    await insertPosts(stack.database.query, {
      tenant,
      accountIds,
      count: deliveries,
      statuses: ["pending"],
      label: LABEL,
      ...spread,
    });
    await stack.database.exec("analyze");
    log(`${deliveries} deliveries are due on ${accounts} accounts`);

    const before = countPublished(context);
    let leasedCount = 0;
    const began = performance.now();
    const queueRun = await runSimulatedQueue({
      vars: stack.vars,
      publishers: PUBLISHERS,
      shouldKill: () => countPublished(context) - before >= deliveries / 2,
      async onKilled() {
        leasedCount = await countLeased(context, accountIds);
        log(`a publisher is killed; both have ${leasedCount} leased deliveries`);
      },
      hasPending: () => hasPending(context, accountIds),
      maxMinutes: MAX_MINUTES,
    });
    const seconds = (performance.now() - began) / 1000;
    for (const line of queueRun.errors.slice(0, 5)) log(`error: ${line}`);
    return [await buildTable(context, accountIds, deliveries, { ...queueRun, leased: leasedCount, seconds })];
  },
};

export default section;

function countPublished({ stack }: BenchContext): number {
  return Object.values(stack.networks.published()).reduce((sum, items) => sum + items.length, 0);
}

async function countDeliveries({ stack }: BenchContext, accountIds: string[], condition: string): Promise<number> {
  const [row] = await stack.database.query<{ n: string }>(
    `select count(*) as n from post_deliveries where account_id = any($1::uuid[]) and ${condition}`,
    [accountIds],
  );
  return Number(row?.n ?? 0);
}

const countLeased = (context: BenchContext, accountIds: string[]) =>
  countDeliveries(context, accountIds, "lease_token is not null");

const hasPending = async (context: BenchContext, accountIds: string[]) =>
  (await countDeliveries(context, accountIds, "next_attempt_at is not null")) > 0;

interface RunResult {
  cronRuns: number;
  clockOffsetMs: number;
  errors: string[];
  leased: number;
  seconds: number;
}

async function buildTable(context: BenchContext, accountIds: string[], deliveries: number, result: RunResult) {
  const { duplicates, lost, outOfOrder } = checkNetworks(context, deliveries);
  const pending = await countDeliveries(context, accountIds, "next_attempt_at is not null");
  const posted = await countDeliveries(context, accountIds, "status = 'posted'");
  const lateness = await measureLateness(context, accountIds);
  const checked: [figure: string, value: number, expected: number][] = [
    ["terminal deliveries", deliveries - pending, deliveries],
    ["posted", posted, deliveries],
    ["published twice", duplicates, 0],
    ["lost", lost, 0],
    ["out of order on their account", outOfOrder, 0],
  ];
  const measured: [figure: string, value: Cell][] = [
    ["accounts", accountIds.length],
    ["leases when one publisher was killed", result.leased],
    ["seconds", roundToTenth(result.seconds)],
    ["deliveries a second", roundToTenth(deliveries / result.seconds)],
    ["lateness p50, s", roundToTenth(lateness.p50)],
    ["lateness p95, s", roundToTenth(lateness.p95)],
    ["cron runs", result.cronRuns],
    ["seconds the clock was advanced", roundToTenth(result.clockOffsetMs / 1000)],
    ["errors logged", result.errors.length],
  ];
  const rows: Record<string, Cell>[] = [
    ...checked.map(([figure, value, expected]) => ({ figure, value, expected, ok: value === expected ? "yes" : "no" })),
    ...measured.map(([figure, value]) => ({ figure, value })),
  ];
  return {
    title: `${deliveries} deliveries due at once, ${PUBLISHERS} publishers, one killed half way`,
    note: "When all publishers are idle, the clock advances to the next cron run; lateness includes that time. Messages of the killed publisher wait for it too: a real queue delivers them again.",
    rows,
    counted: true,
    broken: checked
      .filter(([, value, expected]) => value !== expected)
      .map(([figure, value, expected]) => `${figure}: ${value}, expected ${expected}`),
  };
}

/** Checks the published posts: each caption is the label and a number that increases with the due time. */
function checkNetworks({ stack }: BenchContext, deliveries: number) {
  const items = Object.values(stack.networks.published())
    .flat()
    .filter(({ caption }) => caption.startsWith(`${LABEL} `))
    .map(({ account, caption }) => ({ account, number: Number(caption.slice(LABEL.length + 1)) }));
  const seen = new Set(items.map(({ number }) => number));
  const last = new Map<string, number>();
  let outOfOrder = 0;
  for (const { account, number } of items) {
    if (number < (last.get(account) ?? -1)) outOfOrder += 1;
    last.set(account, number);
  }
  return { duplicates: items.length - seen.size, lost: deliveries - seen.size, outOfOrder };
}

async function measureLateness({ stack }: BenchContext, accountIds: string[]): Promise<{ p50: number; p95: number }> {
  const [row] = await stack.database.query<{ p50: number; p95: number }>(
    `select percentile_cont(0.5) within group (order by late) as p50, percentile_cont(0.95) within group (order by late) as p95
      from (select extract(epoch from published_at - due_at) as late from post_deliveries
        where account_id = any($1::uuid[]) and status = 'posted') posted`,
    [accountIds],
  );
  return { p50: Number(row?.p50 ?? 0), p95: Number(row?.p95 ?? 0) };
}

function roundToTenth(value: number): number {
  return Math.round(value * 10) / 10;
}
