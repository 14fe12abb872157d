// Runs workers on all cases in rounds under a fake clock, until no case has anything left to do.
import { sql } from "drizzle-orm";
import { vi } from "vitest";
import { publishDue } from "../../lib/publishing/publish-due.ts";
import type { Services } from "../../lib/services/context.ts";
import { toRows } from "../support/rows.ts";
import type { Case } from "./cases.ts";
import type { ExternalServices } from "./external-services.ts";
import { type FaultyServices, injectFault, type LateCall } from "./fault-injection.ts";
import { LASTING_FAULTS } from "./fault-plans.ts";

/** Concurrent workers. */
const CONCURRENCY = 12;
/** Cases per invocation of a worker without faults. */
const BATCH_SIZE = 12;
/** Deliveries due within this time of each other are processed in one round. */
const ROUND_MS = 4_000;
/** Delay of a request that its worker no longer waits for. */
const LATE_CALL_MS = 40_000;
/** Rounds continue so long after the last deadline, to detect stuck deliveries: a permalink is polled for 30 days. */
const MARGIN_MS = 31 * 24 * 60 * 60_000;

/** A case and the worker with its fault. */
export interface Running extends Case {
  publisher: FaultyServices;
}

interface ScheduledCall {
  at: number;
  call: LateCall;
}

/** Fakes only Date; timers stay real. */
export async function withFakeClock<Result>(work: () => Promise<Result>): Promise<Result> {
  vi.useFakeTimers({ toFake: ["Date"], now: Date.now() });
  try {
    return await work();
  } finally {
    vi.useRealTimers();
  }
}

/** Runs the cases to their end; unfinished ones are left as they are after the deadline and its margin. */
export async function runCases(base: Services, external: ExternalServices, cases: readonly Case[]): Promise<Running[]> {
  const scheduled: ScheduledCall[] = [];
  const scheduleLate = (call: LateCall) => void scheduled.push({ at: Date.now() + LATE_CALL_MS, call });
  const options = { scheduleLate, deliverCopy: async () => undefined, hasOneDelivery: true };
  const running = cases.map((one) => ({ ...one, publisher: injectFault(base, external, one.plan, options) }));
  const end = Math.max(...cases.map(({ deadlineAt }) => deadlineAt.getTime())) + MARGIN_MS;
  const ids = cases.map(({ deliveryId }) => deliveryId);
  for (let due = await findDueTimes(base, ids); ; due = await findDueTimes(base, ids)) {
    const next = Math.min(...due.values(), ...scheduled.map(({ at }) => at));
    if (next > end) return running;
    vi.setSystemTime(Math.max(Date.now(), next) + ROUND_MS);
    const arrived = scheduled.filter(({ at }) => at <= Date.now());
    for (const call of arrived) scheduled.splice(scheduled.indexOf(call), 1);
    await forEachConcurrently(arrived, ({ call }) => call());
    await runRound(
      base,
      running.filter(({ deliveryId }) => (due.get(deliveryId) ?? end) <= Date.now()),
    );
  }
}

async function runRound(base: Services, due: readonly Running[]): Promise<void> {
  const alone = due.filter(needsFaultyServices);
  const rest = due.filter((one) => !needsFaultyServices(one)).map(({ deliveryId }) => deliveryId);
  const served = Array.from({ length: Math.ceil(rest.length / BATCH_SIZE) }, (_, at) =>
    rest.slice(at * BATCH_SIZE, (at + 1) * BATCH_SIZE),
  );
  await forEachConcurrently(alone, ({ publisher, deliveryId }) =>
    // A worker whose claim fails stops for this round.
    Promise.race([publishDue(publisher.services, [deliveryId]).catch(() => undefined), publisher.died]),
  );
  await forEachConcurrently(served, (ids) => publishDue(base, ids).catch(() => undefined));
}

/** True while the fault is still to be injected or lasts. Afterwards a worker without faults continues. */
function needsFaultyServices({ plan, publisher }: Running): boolean {
  return plan === null || !publisher.struck() || LASTING_FAULTS.has(plan.fault);
}

export async function forEachConcurrently<Item>(
  items: readonly Item[],
  work: (item: Item) => Promise<unknown>,
): Promise<void> {
  const waiting = [...items];
  const worker = async () => {
    for (let item = waiting.shift(); item !== undefined; item = waiting.shift()) await work(item);
  };
  await Promise.all(Array.from({ length: CONCURRENCY }, worker));
}

/** Returns when each unfinished delivery can be claimed next. */
export async function findDueTimes({ db }: Services, deliveryIds: readonly string[]): Promise<Map<string, number>> {
  const ids = `{${deliveryIds.join(",")}}`;
  const found = await db.execute(sql`
    select d.id, extract(epoch from greatest(d.next_attempt_at, d.lease_until, a.lease_until)) * 1000 + 1 as at
    from post_deliveries d join accounts a on a.id = d.account_id
    where d.id = any(${ids}::uuid[]) and d.next_attempt_at is not null`);
  return new Map(toRows<{ id: string; at: string }>(found).map(({ id, at }) => [id, Number(at)]));
}
