// Applies a row of the table to a delivery: the change of its row in the database, the trace, and the delivery afterwards. Pure.
import { backoffMs } from "../jobs/backoff.ts";
import type { DeliveryChange, TraceEntry } from "../queries/deliveries.ts";
import { MINUTE_MS } from "../shared/durations.ts";
import type { DeliveryPart } from "../shared/post-content.ts";
import { DELIVERY_ERRORS, type DeliveryError } from "./delivery-errors.ts";
import { type CallFacts, type Delivery, type DeliveryEvent, getCurrentPart } from "./delivery-events.ts";
import { isPhase, PHASES } from "./delivery-table.ts";
import type { Columns, Due, End, Phase, Row, Stage } from "./delivery-terms.ts";
import { DEADLINE_AFTER_DUE_MS, rateLimitBackoffMs } from "./timing.ts";

export interface Step {
  /** The delivery after the step. */
  delivery: Delivery;
  change: DeliveryChange;
  /** Null when the change is stored with a later step. */
  trace: TraceEntry | null;
  isProgress: boolean;
  /** The attempt ends with this step. */
  isLast: boolean;
  /** Why the account has to be connected again; null when it does not. */
  disconnects: string | null;
}

type StepFacts = Pick<CallFacts, "now" | "random">;

/** Throws for an event that the table does not have in this phase: a driver broke its contract. */
export function takeStep(delivery: Delivery, event: DeliveryEvent, facts: StepFacts): Step {
  const row = PHASES[delivery.phase].on[event.name];
  if (!row) throw new Error(`A delivery that is ${delivery.phase} cannot have the event ${event.name}.`);
  const due = DUE[row.due];
  const planned = due.at(delivery, event, facts);
  const error = row.error ? DELIVERY_ERRORS[row.error]({ delivery, event, nextAttempt: planned }) : null;
  const change: DeliveryChange = {
    stage: toStage(delivery.phase, row.next),
    handle: event.handle ?? delivery.handle,
    readyAt: delivery.readyAt,
    ...toStatus(row, delivery),
    ...(isFailure(row) ? toFailedPart(delivery, error) : {}),
    ...(row.due === "at_once" ? {} : { nextAttemptAt: capTime(planned, due, delivery) }),
    ...(row.attempts === undefined ? {} : { attempts: delivery.attempts + row.attempts }),
    ...(row.error === undefined ? {} : { errorCode: error?.code ?? null, errorMessage: error?.message ?? null }),
    ...Object.assign({}, ...(row.sets ?? []).map((columns) => COLUMNS[columns](delivery, event, facts.now))),
  };
  const phase = isPhase(row.next) ? row.next : delivery.phase;
  return {
    delivery: Object.assign({}, delivery, change, { phase }),
    change,
    trace: row.trace ? toTrace(row.trace, delivery, event, error) : null,
    isProgress: row.progress ?? false,
    isLast: row.due !== "at_once",
    disconnects: row.disconnects ? (event.failure?.message ?? null) : null,
  };
}

/** A delivery whose outcome is unknown keeps its stage. */
function toStage(phase: Phase, next: Phase | End): Stage {
  if (isPhase(next)) return PHASES[next].stage;
  return next === "unknown" ? PHASES[phase].stage : "done";
}

const isFailure = ({ next }: Row): boolean => next === "failed" || next === "unknown" || next === "void";

/** Whatever happens to a first comment, the post stays posted; a thread that ends before its last reply is out in part. */
function toStatus(row: Row, delivery: Delivery): Pick<DeliveryChange, "status"> {
  const current = getCurrentPart(delivery);
  if (current?.kind === "comment") return {};
  if (isFailure(row)) return { status: current ? "partial" : row.next === "void" ? "void" : "failed" };
  return row.status ? { status: row.status } : {};
}

/** The parts with a new state of the current one; nothing while the stage is about the post itself. */
function changePart({ part, parts }: Delivery, state: Partial<DeliveryPart>): Pick<DeliveryChange, "parts"> {
  return parts && part > 0 ? { parts: parts.map((one, at) => (at === part - 1 ? { ...one, ...state } : one)) } : {};
}

function toFailedPart(delivery: Delivery, error: DeliveryError | null): Pick<DeliveryChange, "parts"> {
  return changePart(delivery, { status: "failed", error: error?.message ?? null });
}

/** The step of a reply or comment names it. */
function toTrace(
  [step, outcome]: readonly [string, string],
  delivery: Delivery,
  event: DeliveryEvent,
  error: DeliveryError | null,
): TraceEntry {
  const { code, message } = error ?? event.failure ?? {};
  const name = step === "stage" ? (event.stage ?? PHASES[delivery.phase].stage) : step;
  const { kind } = getCurrentPart(delivery) ?? {};
  const part = kind === "reply" ? ` of reply ${delivery.part}` : kind === "comment" ? " of the first comment" : "";
  return { step: `${name}${part}`, outcome, code, message };
}

function toPublishedColumns(delivery: Delivery, event: DeliveryEvent, now: Date): DeliveryChange {
  const { platformPostId = null, url = null, warnings = [] } = event;
  if (delivery.part > 0) {
    const { postHandle } = delivery;
    return {
      ...changePart(delivery, { status: "posted", id: platformPostId, url, error: null }),
      ...(postHandle ? { handle: postHandle } : {}),
    };
  }
  return {
    publishedAt: now,
    publishedUrl: url,
    platformPostId,
    warnings: warnings.length > 0 ? warnings.map(({ code, message }) => ({ code, message })) : null,
  };
}

const COLUMNS: Record<Columns, (delivery: Delivery, event: DeliveryEvent, now: Date) => DeliveryChange> = {
  begin_again: () => ({ handle: null, readyAt: null }),
  armed: (_delivery, _event, now) => ({ armedAt: now, readyAt: null }),
  ready: (_delivery, _event, now) => ({ readyAt: now, risk: null }),
  risk: ({ account }, { failure }) => ({
    risk: { code: "preparation_failed", reason: failure?.message ?? "", tokenVersion: account.tokenVersion },
  }),
  published: toPublishedColumns,
  next_part: (delivery, event, now) => ({
    ...toPublishedColumns(delivery, event, now),
    part: delivery.part + 1,
    ...(delivery.part === 0 ? { postHandle: event.handle ?? delivery.handle } : {}),
    ...{ handle: null, readyAt: null, attempts: 0 },
    deadlineAt: addMs(now, DEADLINE_AFTER_DUE_MS),
  }),
  permalink: (_delivery, { platformPostId = null, url = null }) => ({ publishedUrl: url, platformPostId }),
  permalink_deadline: (_delivery, _event, now) => ({ deadlineAt: addMs(now, PERMALINK_DEADLINE_MS) }),
};

/** The permalink of a published post is looked up for this long: moderation can hold it back for days. */
const PERMALINK_DEADLINE_MS = 30 * 24 * 60 * MINUTE_MS;
const PERMALINK_PAUSE_MS = { least: MINUTE_MS, most: 6 * 60 * MINUTE_MS } as const;

/** Reading is cheap, and networks list a new post with a delay. */
const RECONCILE_BACKOFF = { firstMs: 5_000, mostMs: 5 * MINUTE_MS } as const;

const addMs = (at: Date, ms: number): Date => new Date(at.getTime() + ms);

interface DueRule {
  at(delivery: Delivery, event: DeliveryEvent, facts: StepFacts): Date | null;
  /** The latest time: a preparation ends when the post is due, and a retry at the deadline, when the delivery fails. */
  until?: "dueAt" | "deadlineAt";
}

const afterInterval: DueRule["at"] = (_delivery, { afterMs = 0 }, { now }) => addMs(now, afterMs);
const atRetryTime: DueRule["at"] = (_delivery, { retryAt }, { now }) => retryAt ?? now;

const DUE: Record<Due, DueRule> = {
  at_once: { at: () => null },
  never: { at: () => null },
  now: { at: (_delivery, _event, { now }) => now },
  when_due: { at: ({ dueAt }) => dueAt },
  after_interval: { at: afterInterval },
  after_interval_until_due: { at: afterInterval, until: "dueAt" },
  when_network_opens: { at: atRetryTime, until: "deadlineAt" },
  when_network_opens_until_due: { at: atRetryTime, until: "dueAt" },
  after_grace: { at: atRetryTime },
  in_a_minute_until_due: { at: (_delivery, _event, { now }) => addMs(now, MINUTE_MS), until: "dueAt" },
  in_five_minutes: { at: (_delivery, _event, { now }) => addMs(now, 5 * MINUTE_MS), until: "deadlineAt" },
  after_backoff: {
    at: ({ attempts }, _event, { now, random }) => addMs(now, backoffMs(attempts + 1, random)),
    until: "deadlineAt",
  },
  after_rate_limit: {
    at: ({ attempts, deadlineAt }, { failure }, { now, random }) => {
      const retryAt = failure?.retryAt ?? addMs(now, rateLimitBackoffMs(deadlineAt, now));
      return new Date(Math.max(retryAt.getTime(), now.getTime() + backoffMs(attempts + 1, random)));
    },
    until: "deadlineAt",
  },
  after_reconcile_backoff: {
    at: ({ attempts }, _event, { now }) => addMs(now, backoffMs(attempts + 1, 0, RECONCILE_BACKOFF)),
  },
  // Ever less often: half of the time since the post was published.
  after_permalink_pause: {
    at: ({ publishedAt }, _event, { now }) => {
      const waitedMs = publishedAt ? now.getTime() - publishedAt.getTime() : 0;
      return addMs(now, Math.min(PERMALINK_PAUSE_MS.most, Math.max(PERMALINK_PAUSE_MS.least, waitedMs / 2)));
    },
  },
};

function capTime(at: Date | null, { until }: DueRule, delivery: Delivery): Date | null {
  return at && until && at > delivery[until] ? delivery[until] : at;
}
