// Thousands of deliveries that are due at once, two publishers, one of them killed half way: nothing twice, nothing lost.
import { performance } from "node:perf_hooks";
import type { Platform } from "../../lib/platforms/platform.ts";
import { insertPosts } from "../bulk.ts";
import { runQueue } from "./queue.ts";
import type { Cell, Context, Section } from "./section.ts";
import { makeTenant } from "./tenant.ts";

const SIZE = { short: { deliveries: 600, accounts: 40 }, long: { deliveries: 10_000, accounts: 200 } };
const PLATFORMS: Platform[] = ["threads", "bluesky", "twitter"];
const PUBLISHERS = 2;
const LABEL = "Due";
const MINUTES_AT_MOST = 120;

const section: Section = {
  title: "Publishing at scale",

  async run(context) {
    const { world, short, say } = context;
    const { deliveries, accounts } = short ? SIZE.short : SIZE.long;
    const platforms = Array.from({ length: accounts }, (_, at) => PLATFORMS[at % PLATFORMS.length] ?? "threads");
    const { tenant, accountIds } = await makeTenant(context, platforms);
    const at = (ago: number) => new Date(Date.now() - ago);
    const spread = { created: [at(120_000), at(60_000)], due: [at(10_000), at(1_000)] } as const;
    await insertPosts(world.database.query, {
      tenant,
      accountIds,
      count: deliveries,
      statuses: ["pending"],
      label: LABEL,
      ...spread,
    });
    await world.database.exec("analyze");
    say(`${deliveries} deliveries are due on ${accounts} accounts`);

    const before = publishedCount(context);
    let inHand = 0;
    const began = performance.now();
    const ran = await runQueue({
      vars: world.vars,
      publishers: PUBLISHERS,
      killNow: () => publishedCount(context) - before >= deliveries / 2,
      async onKilled() {
        inHand = await leased(context, accountIds);
        say(`a publisher is killed with ${inHand} deliveries in its hands or its sibling's`);
      },
      left: () => waits(context, accountIds),
      minutesAtMost: MINUTES_AT_MOST,
    });
    const seconds = (performance.now() - began) / 1000;
    for (const line of ran.troubles.slice(0, 5)) say(`trouble: ${line}`);
    return [await tableOf(context, accountIds, deliveries, { ...ran, inHand, seconds })];
  },
};

export default section;

function publishedCount({ world }: Context): number {
  return Object.values(world.networks.published()).reduce((sum, items) => sum + items.length, 0);
}

async function count({ world }: Context, accountIds: string[], condition: string): Promise<number> {
  const [row] = await world.database.query<{ n: string }>(
    `select count(*) as n from post_deliveries where account_id = any($1::uuid[]) and ${condition}`,
    [accountIds],
  );
  return Number(row?.n ?? 0);
}

const leased = (context: Context, accountIds: string[]) => count(context, accountIds, "lease_token is not null");

const waits = async (context: Context, accountIds: string[]) =>
  (await count(context, accountIds, "next_attempt_at is not null")) > 0;

interface Outcome {
  ticks: number;
  aheadMs: number;
  troubles: string[];
  inHand: number;
  seconds: number;
}

async function tableOf(context: Context, accountIds: string[], deliveries: number, outcome: Outcome) {
  const { twice, lost, disordered } = atNetworks(context, deliveries);
  const open = await count(context, accountIds, "next_attempt_at is not null");
  const posted = await count(context, accountIds, "status = 'posted'");
  const lateness = await latenessOf(context, accountIds);
  const promised: [figure: string, value: number, wanted: number][] = [
    ["deliveries that ended", deliveries - open, deliveries],
    ["posted", posted, deliveries],
    ["published twice", twice, 0],
    ["lost", lost, 0],
    ["out of order on their account", disordered, 0],
  ];
  const measured: [figure: string, value: Cell][] = [
    ["accounts", accountIds.length],
    ["leases when one publisher was killed", outcome.inHand],
    ["seconds", rounded(outcome.seconds)],
    ["deliveries a second", rounded(deliveries / outcome.seconds)],
    ["lateness p50, s", rounded(lateness.p50)],
    ["lateness p95, s", rounded(lateness.p95)],
    ["ticks of cron", outcome.ticks],
    ["seconds the clock was moved", rounded(outcome.aheadMs / 1000)],
    ["errors logged", outcome.troubles.length],
  ];
  const rows: Record<string, Cell>[] = [
    ...promised.map(([figure, value, wanted]) => ({ figure, value, wanted, ok: value === wanted ? "yes" : "no" })),
    ...measured.map(([figure, value]) => ({ figure, value })),
  ];
  return {
    title: `${deliveries} deliveries due at once, ${PUBLISHERS} publishers, one killed half way`,
    note: "Where nothing can be done before the next tick of cron, the clock goes to it; lateness counts that time.",
    rows,
    counted: true,
    broken: promised
      .filter(([, value, wanted]) => value !== wanted)
      .map(([figure, value, wanted]) => `${figure}: ${value}, ${wanted} is promised`),
  };
}

/** What the networks saw: each post's words are the label and its number, which rises with the instant it is due. */
function atNetworks({ world }: Context, deliveries: number) {
  const items = Object.values(world.networks.published())
    .flat()
    .filter(({ caption }) => caption.startsWith(`${LABEL} `))
    .map(({ account, caption }) => ({ account, number: Number(caption.slice(LABEL.length + 1)) }));
  const seen = new Set(items.map(({ number }) => number));
  const last = new Map<string, number>();
  let disordered = 0;
  for (const { account, number } of items) {
    if (number < (last.get(account) ?? -1)) disordered += 1;
    last.set(account, number);
  }
  return { twice: items.length - seen.size, lost: deliveries - seen.size, disordered };
}

async function latenessOf({ world }: Context, accountIds: string[]): Promise<{ p50: number; p95: number }> {
  const [row] = await world.database.query<{ p50: number; p95: number }>(
    `select percentile_cont(0.5) within group (order by late) as p50, percentile_cont(0.95) within group (order by late) as p95
      from (select extract(epoch from published_at - due_at) as late from post_deliveries
        where account_id = any($1::uuid[]) and status = 'posted') posted`,
    [accountIds],
  );
  return { p50: Number(row?.p50 ?? 0), p95: Number(row?.p95 ?? 0) };
}

function rounded(value: number): number {
  return Math.round(value * 10) / 10;
}
