// Lets publishers work on all cases, round after round under one clock, until nothing is left to do for any of them.
import { sql } from "drizzle-orm";
import { vi } from "vitest";
import type { World } from "../../lib/call.ts";
import { rowsOf } from "../../lib/db.ts";
import { publishDue } from "../../lib/publishing/publisher.ts";
import type { Case } from "./cases.ts";
import { LASTING } from "./faults.ts";
import type { Outside } from "./outside.ts";
import { type Late, type Troubled, troubled } from "./troubled.ts";

/** Publishers at work at once. */
const AT_ONCE = 12;
/** A healthy publisher serves so many cases in one invocation. */
const SERVED_AT_ONCE = 12;
/** What is due within this much of each other is done in one round. */
const ROUND_MS = 4_000;
/** A call that its publisher no longer waits for is on the wire this long. */
const LATE_MS = 40_000;
/** How long after the last deadline rounds go on, so that what is stuck shows. */
const MARGIN_MS = 2 * 60 * 60_000;

/** A case and the publisher that its fault strikes. */
export interface Running extends Case {
  publisher: Troubled;
}

interface Landing {
  at: number;
  call: Late;
}

/** Everything but dates stays real, so that calls take as long as they take. */
export async function underOneClock<Result>(work: () => Promise<Result>): Promise<Result> {
  vi.useFakeTimers({ toFake: ["Date"], now: Date.now() });
  try {
    return await work();
  } finally {
    vi.useRealTimers();
  }
}

/** Runs the cases to their ends; those that have none are left as they are at the deadline and its margin. */
export async function runCases(base: World, outside: Outside, cases: readonly Case[]): Promise<Running[]> {
  const landings: Landing[] = [];
  const late = (call: Late) => void landings.push({ at: Date.now() + LATE_MS, call });
  const running = cases.map((one) => ({ ...one, publisher: troubled(base, outside, one.plan, late) }));
  const end = Math.max(...cases.map(({ deadlineAt }) => deadlineAt.getTime())) + MARGIN_MS;
  for (let due = await dueAmong(base, running); ; due = await dueAmong(base, running)) {
    const next = Math.min(...due.values(), ...landings.map(({ at }) => at));
    if (next > end) return running;
    vi.setSystemTime(Math.max(Date.now(), next) + ROUND_MS);
    const landed = landings.filter(({ at }) => at <= Date.now());
    for (const landing of landed) landings.splice(landings.indexOf(landing), 1);
    await eachOf(landed, ({ call }) => call());
    await round(
      base,
      running.filter(({ deliveryId }) => (due.get(deliveryId) ?? end) <= Date.now()),
    );
  }
}

async function round(base: World, due: readonly Running[]): Promise<void> {
  const alone = due.filter(inTrouble);
  const rest = due.filter((one) => !inTrouble(one)).map(({ deliveryId }) => deliveryId);
  const served = Array.from({ length: Math.ceil(rest.length / SERVED_AT_ONCE) }, (_, at) =>
    rest.slice(at * SERVED_AT_ONCE, (at + 1) * SERVED_AT_ONCE),
  );
  await eachOf(alone, ({ publisher, deliveryId }) =>
    // A publisher whose claim fails is done for this round; the next one comes with the next nudge.
    Promise.race([publishDue(publisher.world, [deliveryId]).catch(() => undefined), publisher.died]),
  );
  await eachOf(served, (ids) => publishDue(base, ids).catch(() => undefined));
}

/** The fault has yet to strike, or never ends. After it a healthy publisher goes on. */
function inTrouble({ plan, publisher }: Running): boolean {
  return plan === null || !publisher.struck() || LASTING.has(plan.fault);
}

async function eachOf<Item>(items: readonly Item[], work: (item: Item) => Promise<unknown>): Promise<void> {
  const waiting = [...items];
  const worker = async () => {
    for (let item = waiting.shift(); item !== undefined; item = waiting.shift()) await work(item);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
}

/** When each unfinished case can be claimed next. */
async function dueAmong({ db }: World, cases: readonly Case[]): Promise<Map<string, number>> {
  const ids = `{${cases.map(({ deliveryId }) => deliveryId).join(",")}}`;
  const found = await db.execute(sql`
    select d.id, extract(epoch from greatest(d.next_attempt_at, d.lease_until, a.lease_until)) * 1000 + 1 as at
    from post_deliveries d join accounts a on a.id = d.account_id
    where d.id = any(${ids}::uuid[]) and d.next_attempt_at is not null`);
  return new Map(rowsOf<{ id: string; at: string }>(found).map(({ id, at }) => [id, Number(at)]));
}
