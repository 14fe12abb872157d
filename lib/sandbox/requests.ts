// The operations of test mode: moving its clock, and emptying it.
import { emptySandbox } from "../queries/sandbox-reset.ts";
import { acquireRun, releaseRun, type SandboxRun } from "../queries/sandbox-runs.ts";
import type { SandboxAdvance } from "../schemas/sandbox.ts";
import type { RequestContext, Services } from "../services/context.ts";
import { DAY_MS } from "../shared/durations.ts";
import { apiError } from "../shared/errors.ts";
import { pause } from "../shared/retry.ts";
import type { Sandbox } from "../shared/scope.ts";
import { buildAccounts } from "./open-sandbox.ts";
import { advanceClock, type Ran } from "./run.ts";

/** A request waits this long for the runner before it. */
const WAIT_MS = 15_000;
const PAUSE_MS = { first: 250, most: 2_000 } as const;

/** Throws 403 for a key of live mode. */
function requireSandbox({ key }: Pick<RequestContext, "key">): Sandbox {
  const { sandbox } = key.scope;
  if (sandbox) return sandbox;
  const message =
    "This operation is for test mode. Use a key that begins with pk_test_, which the dashboard creates with Test mode switched on, or a grant of test mode.";
  throw apiError("test_key_required", message);
}

export async function advanceSandbox(
  context: RequestContext,
  request: SandboxAdvance,
): Promise<{ now: Date; ran: Ran[]; more: boolean }> {
  const sandbox = requireSandbox(context);
  if (request.to) checkForward(context.now, request.to);
  const services = toLiveServices(context);
  const run = await waitForRun(services, sandbox.scopeId);
  const start = services.clock().getTime() + run.clockOffsetMs;
  const target = request.to ?? new Date(start + (request.seconds ?? 0) * 1000);
  const latest = new Date(services.clock().getTime() + MAX_OFFSET_DAYS * DAY_MS);
  if (target <= latest) return advanceClock(services, run, target);
  await releaseRun(services.db, run);
  throw invalidField(
    request.to ? "to" : "seconds",
    `leads to ${target.toISOString()}, but the clock of test mode is at most ${MAX_OFFSET_DAYS} days ahead of real time: until ${latest.toISOString()}`,
  );
}

/** In one request. */
const MAX_ADVANCE_DAYS = 400;
/** In all: ten years. */
const MAX_OFFSET_DAYS = 3_652;

function checkForward(now: Date, to: Date): void {
  const ahead = to.getTime() - now.getTime();
  if (ahead > 0 && ahead <= MAX_ADVANCE_DAYS * DAY_MS) return;
  const rule = ahead > 0 ? `at most ${MAX_ADVANCE_DAYS} days ahead` : "later";
  throw invalidField("to", `must be ${rule}: the clock of test mode is at ${now.toISOString()}`);
}

function invalidField(field: "seconds" | "to", rule: string) {
  const message = `${field} ${rule}. POST /sandbox/reset sets the clock back.`;
  return apiError("invalid_payload", message, { issues: { formErrors: [], fieldErrors: { [field]: [message] } } });
}

/** Empties the mode, with everything that its keys have made; its keys and its accounts stay the same. */
export async function resetSandbox(context: RequestContext): Promise<{ now: Date }> {
  const sandbox = requireSandbox(context);
  const services = toLiveServices(context);
  const run = await waitForRun(services, sandbox.scopeId);
  try {
    const { ownerId } = context.key.scope;
    const accounts = await buildAccounts(services.env.tokenKeys, sandbox.scopeId);
    await emptySandbox(services.db, { ownerId, workspaceId: sandbox.scopeId }, accounts, services.clock());
  } finally {
    await releaseRun(services.db, run);
  }
  return { now: services.clock() };
}

async function waitForRun(services: Services, scopeId: string): Promise<SandboxRun> {
  const until = Date.now() + WAIT_MS;
  let ms: number = PAUSE_MS.first;
  do {
    const run = await acquireRun(services.db, scopeId, crypto.randomUUID());
    if (run) return run;
    ms = Math.min(ms * 1.5, PAUSE_MS.most);
  } while (Date.now() < until && (await pause(ms)));
  const message = "Another request moves the clock of this test mode. Retry after 5 s.";
  throw apiError("advance_in_progress", message, { retry_after_seconds: 5 });
}

/** The runner opens the services of the mode at each instant itself, and what it does is done by nobody's key. */
function toLiveServices({ live }: RequestContext): Services {
  if (!live) throw new Error("The request has the services of live mode.");
  return live;
}
