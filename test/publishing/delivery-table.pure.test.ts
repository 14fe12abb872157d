// Drives the table of deliveries with random events, crashes and clocks.
import fc from "fast-check";
import { expect, test } from "vitest";
import { PHASES } from "../../lib/publishing/delivery-table.ts";
import type { Due, EventName, Phase, Row } from "../../lib/publishing/delivery-terms.ts";
import { createModel, getNext, isOpen, type Model, runAttempt } from "./delivery-model.ts";

/** Of each property; the seed is printed with a counterexample. */
const RUNS = 1_000;
/** A mutation may show only when several rare events meet; the runs end with the first counterexample. */
const MUTATION_RUNS = 20_000;
/** More attempts than any delivery can need: 30 days of permalinks, and a rate limit or poll a minute for a day. */
const MAX_ATTEMPTS = 6_000;

const chances = fc.infiniteStream(fc.noBias(fc.integer({ min: 0, max: 999_999 })).map((part) => part / 1_000_000));

/** What follows the post: nothing, a thread, a first comment, or both. */
const kinds = fc
  .tuple(fc.nat(3), fc.boolean())
  .map(([replies, hasComment]) => [
    ...Array.from({ length: replies }, () => "reply" as const),
    ...(hasComment ? ["comment" as const] : []),
  ]);

type Property = (model: Model, run: () => Promise<void>) => Promise<void>;

function check(property: Property, numRuns = RUNS): Promise<void> {
  return fc.assert(
    fc.asyncProperty(fc.boolean(), kinds, chances, async (isScheduled, parts, stream) => {
      const model = createModel(isScheduled, parts);
      const chance = { next: () => stream.next().value as number };
      await property(model, () => runAttempt(model, chance));
    }),
    { numRuns },
  );
}

/** Runs attempts, each at its time, until the delivery has ended. */
async function runToEnd(model: Model, run: () => Promise<void>, after: () => void): Promise<void> {
  while (isOpen(model)) {
    const next = getNext(model.row);
    if (next && next > model.now) model.now = next;
    await run();
    after();
    expect(model.attempts).toBeLessThan(MAX_ATTEMPTS);
  }
}

const sendsOnce: Property = async (model, run) => {
  await runToEnd(model, run, () => undefined);
  expect(model.publishCalls.filter(({ part, known }) => known[part] !== "not sent")).toEqual([]);
};

/** A part is sent only when the post and all parts before it are out. */
const leavesNoHole: Property = async (model, run) => {
  await runToEnd(model, run, () => undefined);
  const early = model.publishCalls.filter(({ part, known }) => known.slice(0, part).some((one) => one !== "published"));
  expect(early).toEqual([]);
  const { parts } = model.row;
  const out = (parts ?? []).map(({ status }) => status === "posted");
  expect(out).toEqual(out.toSorted((a, b) => Number(b) - Number(a)));
};

const staysDue: Property = async (model, run) => {
  await runToEnd(model, run, () => {
    if (!isOpen(model)) return;
    const next = getNext(model.row)?.getTime();
    expect(next).toBeGreaterThan(0);
    expect(model.row.deadlineAt.getTime()).toBeGreaterThan(0);
    // A delivery that was not sent ends by its deadline: no check is later.
    if (["new", "started"].includes(model.row.stage) && model.row.status === "retry")
      expect(next).toBeLessThanOrEqual(model.row.deadlineAt.getTime());
  });
  expect(["posted", "partial", "failed", "void"]).toContain(model.row.status);
};

const endsTruthfully: Property = async (model, run) => {
  await runToEnd(model, run, () => undefined);
  const { status, stage, errorCode, errorMessage, part, parts, publishedAt } = model.row;
  const current = parts?.[part - 1];
  const knowledge = model.known[part];
  if (status === "posted" && current?.status !== "failed") {
    expect([model.known.every((one) => one === "published"), stage, errorCode]).toEqual([true, "done", null]);
    expect((parts ?? []).every((one) => one.status === "posted")).toBe(true);
    return;
  }
  // Once the post is out, a part that fails leaves it so.
  const ends = { reply: ["partial"], comment: ["posted"] };
  expect(current ? ends[current.kind] : ["failed", "void"]).toContain(status);
  expect(publishedAt !== null).toBe(part > 0);
  if (part > 0) expect(model.known[0]).toBe("published");
  if (current) expect(current.error).toBe(errorMessage);
  expect(errorMessage).toMatch(/\w/);
  expect(errorMessage).not.toMatch(/The next attempt is at|We are checking|No action is needed/);
  // A call that may have published is never reported as failed, and one that was not sent never as unknown or published.
  const isUnknown = errorCode === "outcome_unknown";
  if (isUnknown) expect(model.wasArmed).toBe(true);
  if (knowledge !== "not sent") expect([isUnknown, ["armed", "sent"].includes(stage)]).toEqual([true, true]);
  if (status === "void") expect(knowledge).toBe("not sent");
};

test("no post is sent again unless the network has reported that it is not published", () => check(sendsOnce));

test("no part is sent before what it follows is out", () => check(leavesNoHole));

test("every open delivery has a next check and a deadline, and ends", () => check(staysDue));

test("every end has a true reason", () => check(endsTruthfully));

const MUTATIONS: [phase: Phase, event: EventName, change: Partial<Row>, noticedBy: Property][] = [
  ["publishing", "response_lost", { next: "started" }, sendsOnce],
  ["armed", "cannot_tell", { next: "new" }, sendsOnce],
  ["armed", "cannot_tell", { next: "new", sets: ["next_part"] }, leavesNoHole],
  ["sent", "check_failed", { next: "started" }, sendsOnce],
  ["started", "processing", { due: "never" }, staysDue],
  ["started", "failed", { due: "never" }, endsTruthfully],
  ["armed", "deadline_passed", { next: "failed", error: "deadline_exceeded" }, endsTruthfully],
  ["sent", "processing", { due: "never" }, endsTruthfully],
  ["new", "deadline_passed", { error: "unknown_not_confirmed" }, endsTruthfully],
];

for (const [phase, event, change, property] of MUTATIONS)
  test(`a table whose row ${phase}: ${event} has ${JSON.stringify(change)} is noticed`, async () => {
    const row = PHASES[phase].on[event];
    if (!row) throw new Error(`There is no row ${phase}: ${event}.`);
    PHASES[phase].on[event] = { ...row, ...change };
    try {
      await expect(check(property, MUTATION_RUNS)).rejects.toThrow("Property failed");
    } finally {
      PHASES[phase].on[event] = row;
    }
  });

const rows = Object.entries(PHASES).flatMap(([phase, { on }]) =>
  Object.entries(on).map(([event, row]) => [phase as Phase, event, row] as const),
);

test("a row that ends a delivery is not due again and says why, and every other row is due", () => {
  const isEnd = ({ next }: Row) => !(next in PHASES);
  for (const [phase, event, row] of rows) {
    const where = `${phase}: ${event}`;
    expect([where, row.due === ("never" satisfies Due)]).toEqual([where, isEnd(row)]);
    const isFailure = ["failed", "void", "unknown"].includes(row.next);
    if (isFailure) expect([where, row.error ?? null]).not.toEqual([where, null]);
    // The last step of an attempt is always stored.
    if (row.due !== "at_once") expect([where, row.trace?.length]).toEqual([where, 2]);
  }
});

test("the irreversible call is reached only from started, and only with the armed checkpoint", () => {
  const arming = rows.filter(([, , row]) => row.next === "publishing");
  expect(arming.map(([phase, event, row]) => [phase, event, row.trace, row.sets])).toEqual([
    ["started", "ready", ["arm", "armed"], ["armed"]],
  ]);
  expect(Object.entries(PHASES).filter(([, { call }]) => call === "publish")).toHaveLength(1);
});
