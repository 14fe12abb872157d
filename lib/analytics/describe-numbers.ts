// What is known about each number of an account: whether its network gives it, and as of when.
import type { Target } from "../schemas/analytics.ts";
import { listUnreported, METRICS, type MissingNumbers } from "../shared/metrics.ts";
import type { Platform } from "../shared/platforms.ts";

interface Refreshed {
  platform: Platform;
  lastRefreshedAt: Date | null;
  missingNumbers: MissingNumbers | null;
}

export function describeNumbers({ platform, lastRefreshedAt, missingNumbers }: Refreshed): Target["numbers"] {
  const missing = missingNumbers ?? listUnreported(platform);
  const described = METRICS.map((metric) => {
    const found = missing[metric];
    if (!found) return [metric, { coverage: "given", refreshed_at: lastRefreshedAt, permission: null }];
    const { coverage, permission = null, refreshedAt } = found;
    return [metric, { coverage, refreshed_at: refreshedAt ? new Date(refreshedAt) : null, permission }];
  });
  return Object.fromEntries(described);
}
