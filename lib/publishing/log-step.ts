// One log line and one data point per finished step of a delivery, and per sweep.

import type { ClaimedDelivery, TraceEntry } from "../queries/deliveries.ts";
import type { Services } from "../services/context.ts";

type LogServices = Pick<Services, "clock" | "log" | "metrics">;

/** When the last step of a claimed delivery ended, which is when the next one began. */
const lastStepAt = new WeakMap<ClaimedDelivery, Date>();

/** The first step begins now. */
export function startSteps({ clock }: Pick<Services, "clock">, claimed: ClaimedDelivery): void {
  lastStepAt.set(claimed, clock());
}

export interface SweepResult {
  /** Accounts that can be served. */
  listed: number;
  /** Deliveries that were enqueued. */
  enqueued: number;
  /** When the earliest of them was due; null without any. */
  oldestDueAt: Date | null;
}

export function logSweep(services: LogServices, startedAt: Date, { listed, enqueued, oldestDueAt }: SweepResult): void {
  const now = services.clock();
  const oldestDueMs = oldestDueAt ? Math.max(0, now.getTime() - oldestDueAt.getTime()) : 0;
  const durationMs = now.getTime() - startedAt.getTime();
  services.log({
    level: "info",
    sweep: "deliveries",
    listed,
    enqueued,
    oldest_due: oldestDueAt,
    oldest_due_ms: oldestDueMs,
    duration_ms: durationMs,
  });
  services.metrics.write({
    kind: "sweep",
    scopeId: "",
    labels: ["deliveries"],
    values: [listed, enqueued, oldestDueMs, durationMs],
  });
}

/** Lateness is measured from when the post was due. */
export function logStep(services: LogServices, claimed: ClaimedDelivery, { step, outcome, code }: TraceEntry): void {
  const now = services.clock();
  const latenessMs = Math.max(0, now.getTime() - claimed.dueAt.getTime());
  const durationMs = now.getTime() - (lastStepAt.get(claimed) ?? now).getTime();
  lastStepAt.set(claimed, now);
  const { platform: network } = claimed.account;
  services.log({
    level: "info",
    delivery: claimed.id,
    scope: claimed.scopeId,
    network,
    step,
    outcome,
    code: code ?? null,
    lateness_ms: latenessMs,
    duration_ms: durationMs,
  });
  services.metrics.write({
    kind: "delivery_step",
    scopeId: claimed.scopeId,
    labels: [network, step, outcome, code ?? ""],
    values: [latenessMs, durationMs],
  });
}
