// Runs each hour: makes the partitions of the trace of deliveries for the coming months, and drops those past 90 days.

import { maintainAttemptPartitions } from "../../lib/queries/delivery-attempts.ts";
import type { Services } from "../../lib/services/context.ts";

/** Away from the full hour, when most posts are due. */
const MINUTE = 37;
const KEPT_MS = 90 * 24 * 60 * 60 * 1000;

export async function keepDeliveryAttempts({ db, clock, log }: Services): Promise<void> {
  const now = clock();
  if (now.getUTCMinutes() !== MINUTE) return;
  const changed = await maintainAttemptPartitions(db, { now, keepFrom: new Date(now.getTime() - KEPT_MS) });
  if (changed.length > 0) log({ level: "info", delivery_attempts: changed });
}
