// One log line and one data point per finished step of a delivery, and per sweep.

import type { ClaimedDelivery, TraceEntry } from "../queries/deliveries.ts";
import type { Services } from "../services/context.ts";

type LoggedDelivery = Pick<ClaimedDelivery, "id" | "dueAt" | "scopeId" | "account">;
type LogServices = Pick<Services, "clock" | "log" | "metrics">;

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

/** Returns the log of one attempt. Lateness is measured from when the post was due, a step from the end of the last one. */
export function createStepLog(services: LogServices): (delivery: LoggedDelivery, trace: TraceEntry) => void {
  let lastStepAt = services.clock();
  return ({ id, dueAt, scopeId, account: { platform: network } }, { step, outcome, code }) => {
    const now = services.clock();
    const latenessMs = Math.max(0, now.getTime() - dueAt.getTime());
    const durationMs = now.getTime() - lastStepAt.getTime();
    lastStepAt = now;
    services.log({
      level: "info",
      delivery: id,
      scope: scopeId,
      network,
      step,
      outcome,
      code: code ?? null,
      lateness_ms: latenessMs,
      duration_ms: durationMs,
    });
    services.metrics.write({
      kind: "delivery_step",
      scopeId,
      labels: [network, step, outcome, code ?? ""],
      values: [latenessMs, durationMs],
    });
  };
}
