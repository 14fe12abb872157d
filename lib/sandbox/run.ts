// The one runner of a test scope: called by the queue, by cron, after a response in previews, and by an advance of the clock.
import { type DueKind, findNextDue } from "../queries/sandbox-due.ts";
import {
  acquireRun,
  listEndingApprovals,
  listPostIds,
  releaseRun,
  renewRun,
  type SandboxRun,
} from "../queries/sandbox-runs.ts";
import type { WORK_NAMES } from "../schemas/sandbox.ts";
import type { Services } from "../services/context.ts";
import { openSandboxServices } from "../services/sandbox.ts";
import { formatError } from "../shared/format-error.ts";
import { withHeartbeat } from "../shared/heartbeat.ts";
import { DUE_RULES, doDueWork, EVERY_KIND, type RunServices } from "./do-due-work.ts";

const HEARTBEAT_MS = 15_000;

/** No new step begins later than this, in real time: below what clients and platforms wait for a response. */
const MAX_RUN_MS = 20_000;
/** Of an invocation: what one step may need. */
const REQUESTS_PER_STEP = 500;

/** A piece of work that ran, with its time by the clock of the scope. */
export interface Ran {
  at: Date;
  what: (typeof WORK_NAMES)[number];
  /** Of the post, the event's delivery, the account, the refresh or the approval link. */
  id: string;
}

/** By the name of the job. */
const NAMES: Record<string, Ran["what"]> = {
  delivery: "post",
  check: "scheduled_check",
  webhook: "webhook",
  refresh: "analytics_refresh",
  token_refresh: "token_refresh",
  approval: "approval_expired",
};

/** Does what is due now. Nothing while another runner works for the scope: it looks again before it ends. */
export async function runDue(services: Services, scopeId: string): Promise<void> {
  const run = await acquireRun(services.db, scopeId, crypto.randomUUID());
  if (!run) return;
  await holdRun(services, run, undefined, async () => {
    const enqueueLater = (delaySeconds: number) => services.enqueueSandbox(scopeId, delaySeconds);
    await doDueWork(
      { ...openSandboxServices(services, run), sandbox: run, enqueueLater, canGoOn: limitRun(services) },
      EVERY_KIND,
    );
  });
}

/** Moves the clock to an instant, and does on the way what falls due, in order. `more` when the limits of a run ended it before. */
export async function advanceClock(
  services: Services,
  run: SandboxRun,
  target: Date,
): Promise<{ now: Date; ran: Ran[]; more: boolean }> {
  const ran: Ran[] = [];
  const canGoOn = limitRun(services);
  let at = new Date(services.clock().getTime() + run.clockOffsetMs);
  const end = target > at ? target : at;
  let kinds: readonly DueKind[] = EVERY_KIND;
  let reached = at;
  const getEnd = () => reached;
  await holdRun(services, run, getEnd, async () => {
    let before = at;
    for (;;) {
      if (!(await renewRun(services.db, run, at))) throw new Error("The lease of the test scope was lost.");
      reached = at;
      await runStep(services, run, { at, before, kinds, canGoOn }, ran);
      if (!canGoOn()) return;
      const next = await findNextDue(services.db, run.scopeId, at, DUE_RULES);
      const instants = Object.values(next).filter((instant) => instant !== null);
      const soonest = instants.reduce<Date | null>((first, one) => (first && first <= one ? first : one), null);
      if (!soonest || soonest > end) {
        reached = end;
        return;
      }
      before = at;
      at = soonest;
      kinds = (Object.keys(next) as DueKind[]).filter((kind) => next[kind]?.getTime() === at.getTime());
    }
  });
  return { now: reached, ran, more: reached < end };
}

interface SandboxStep {
  at: Date;
  /** The step before. */
  before: Date;
  kinds: readonly DueKind[];
  canGoOn(): boolean;
}

/** Everything that is due at one instant, at which the clock stands meanwhile. */
async function runStep(
  services: Services,
  run: SandboxRun,
  { at, before, kinds, canGoOn }: SandboxStep,
  ran: Ran[],
): Promise<void> {
  const jobs: { job: string; id: string }[] = [];
  const own: RunServices = {
    ...openSandboxServices(services, run, () => new Date(at)),
    sandbox: run,
    wait: async () => false,
    onJob: (done) => void jobs.push(done),
    enqueueLater: null,
    canGoOn,
  };
  await doDueWork(own, kinds);
  if (kinds.includes("approvals")) {
    const ended = await listEndingApprovals(services.db, run.scopeId, before, at);
    jobs.push(...ended.map((id) => ({ job: "approval", id })));
  }
  const aboutPosts = jobs.filter(({ job }) => job === "delivery" || job === "check").map(({ id }) => id);
  const posts = aboutPosts.length > 0 ? await listPostIds(services.db, aboutPosts) : new Map<string, string>();
  for (const { job, id } of jobs) {
    const what = NAMES[job];
    if (what) ran.push({ at, what, id: posts.get(id) ?? id });
  }
}

/** Holds the lease while the work runs. `getEnd`: the instant from which the clock goes on; without it, the clock never stood. */
async function holdRun(
  services: Services,
  run: SandboxRun,
  getEnd: (() => Date) | undefined,
  work: () => Promise<void>,
): Promise<void> {
  const beat = () =>
    renewRun(services.db, run).catch((error) =>
      services.log({ level: "error", sandbox: run.scopeId, error: formatError(error) }),
    );
  try {
    await withHeartbeat(HEARTBEAT_MS, beat, work);
  } finally {
    if (await releaseRun(services.db, run, getEnd?.())) services.enqueueSandbox(run.scopeId, 0);
  }
}

function limitRun({ budget }: Pick<Services, "budget">): () => boolean {
  const until = Date.now() + MAX_RUN_MS;
  return () => Date.now() < until && budget.remainingRequests() > REQUESTS_PER_STEP;
}
