// The fault suite of queues: groups of deliveries in one message, whose consumers are killed and whose messages are copied or lost.
import type { Driver } from "../../lib/platforms/platform.ts";
import { DEADLINE_AFTER_DUE_MS } from "../../lib/publishing/timing.ts";
import { toWorkKind, type WorkKind } from "../../lib/shared/work-kinds.ts";
import { createCaseTenant, mintCases } from "./cases.ts";
import { startExternalServices } from "./external-services.ts";
import { type Plan, planKillsAndCopies, runBaseline } from "./fault-plans.ts";
import { type Group, runMessages } from "./messages.ts";
import { listPostKinds, type PostKind } from "./post-kinds.ts";
import { withFakeClock } from "./run-cases.ts";
import { buildServices, rememberRepeats } from "./suite.ts";
import { type Judged, judgeCases } from "./verdict.ts";

/** Longer than any delivery may take. */
const LASTS_MS = DEADLINE_AFTER_DUE_MS + 60 * 60_000;
/** A message may be consumed four times before it is a dead letter. */
const EVERY_CONSUMER = 4;

interface GroupRequest extends Pick<Group, "faultyConsumers" | "loses"> {
  kind: WorkKind;
  posts: PostKind[];
  plan: Plan | null;
}

/** The statements of a worker and its messages are the same on every network. */
const isNew = rememberRepeats();

const NO_FAULT = { plan: null, faultyConsumers: 1, loses: () => false };

export interface MessageResults {
  withoutFaults: Judged[];
  killedOrCopied: Judged[];
  withLostMessages: Judged[];
}

export async function runMessageSuite(driver: Driver): Promise<MessageResults> {
  const external = await startExternalServices({});
  const base = buildServices(external);
  const tenant = await createCaseTenant(base);

  async function run(requests: GroupRequest[]) {
    const wanted = requests.flatMap(({ posts, plan }) => posts.map((kind) => ({ kind, plan, twin: null })));
    const minted = await mintCases(base, external, tenant, wanted);
    const groups = requests.map(({ posts, ...request }) => ({ ...request, cases: minted.splice(0, posts.length) }));
    const runs = await runMessages(base, external, groups, LASTS_MS);
    const judged = await judgeCases(
      base,
      external,
      runs.flatMap(({ running }) => running),
    );
    return { runs, judged };
  }

  try {
    return await withFakeClock(async () => {
      const kinds = Map.groupBy(listPostKinds(driver, external.media), ({ media }) => toWorkKind({ media }));
      // A consumer that is killed has a neighbour, also where a network takes videos only.
      const withNeighbour = (posts: PostKind[]) => (kinds.size === 1 ? [...posts, ...posts] : posts);
      const plain = [...kinds].map(([kind, posts]) => ({ ...NO_FAULT, kind, posts: withNeighbour(posts) }));
      const baseline = await runBaseline(
        () => run(plain),
        ({ runs }) => runs.flatMap(({ running }) => running).flatMap(({ publisher }) => publisher.operations),
      );
      const measured = plain.map((request, at) => {
        const { running = [], sent = 0 } = baseline.runs[at] ?? {};
        return { request, sent, plans: planKillsAndCopies(running[0]?.publisher.operations ?? []) };
      });
      const faulty = await run(
        measured.flatMap(({ request, plans }) =>
          planFaultyConsumers(
            request,
            plans.filter((plan) => isNew("", plan)),
          ),
        ),
      );
      const lost = await run(measured.flatMap(({ request, sent }) => planLosses(request, sent)));
      return { withoutFaults: baseline.judged, killedOrCopied: faulty.judged, withLostMessages: lost.judged };
    });
  } finally {
    await external.close();
  }
}

/** Each plan once; and for the claim and the mark before the last call, also until the message is a dead letter. */
function planFaultyConsumers(request: GroupRequest, plans: Plan[]): GroupRequest[] {
  const lasting = plans.filter(
    ({ operation: { name, nth }, fault }) =>
      ["claim", "checkpoint armed"].includes(name) && nth === 0 && fault === "killed after",
  );
  return [
    ...plans.map((plan) => ({ ...request, plan })),
    ...lasting.map((plan) => ({ ...request, plan, faultyConsumers: EVERY_CONSUMER })),
    // Cron finds what was left behind, and nothing else does.
    ...lasting.map((plan) => ({ ...request, plan, loses: (nth: number) => nth > 0 })),
  ];
}

/** Each message alone, the first one included, and all of them. */
function planLosses(request: GroupRequest, sent: number): GroupRequest[] {
  const single = Array.from({ length: sent }, (_, lost) => ({ ...request, loses: (nth: number) => nth === lost }));
  return [...single, { ...request, loses: () => true }];
}
