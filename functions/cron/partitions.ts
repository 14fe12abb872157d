// Runs each hour: makes the partitions of the coming months, and drops those whose rows are no longer kept.

import { maintainPartitions, type PartitionedTable } from "../../lib/queries/partitions.ts";
import type { Services } from "../../lib/services/context.ts";
import { DAY_MS } from "../../lib/shared/durations.ts";

/** Away from the full hour, when most posts are due. */
const MINUTE = 37;
const KEPT_DAYS: Record<PartitionedTable, number> = { delivery_attempts: 90, events: 30 };

export async function keepPartitions({ db, clock, log }: Services): Promise<void> {
  const now = clock();
  if (now.getUTCMinutes() !== MINUTE) return;
  for (const [table, days] of Object.entries(KEPT_DAYS) as [PartitionedTable, number][]) {
    const changed = await maintainPartitions(db, table, { now, keepFrom: new Date(now.getTime() - days * DAY_MS) });
    if (changed.length > 0) log({ level: "info", table, partitions: changed });
  }
}
