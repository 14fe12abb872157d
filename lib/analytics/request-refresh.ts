// Requests a refresh of a target: one per UTC day is free, and one runs at a time.

import { enqueueDue } from "../jobs/enqueue.ts";
import { insertRefreshRequest, type RefreshRequestResult } from "../queries/analytics-refresh-requests.ts";
import { getSecondsUntilNextDay } from "../schemas/analytics-period.ts";
import type { RequestContext } from "../services/context.ts";
import { DAY_SECONDS } from "../shared/durations.ts";
import { apiError } from "../shared/errors.ts";
import { buildRateLimitHeaders } from "../shared/rate-limit-headers.ts";
import { DEADLINE_MS } from "./timing.ts";
import { toRefreshResponse } from "./to-response.ts";

export async function requestRefresh(context: RequestContext, targetId: string) {
  const { db, key, ids, now } = context;
  const deadlineAt = new Date(now.getTime() + DEADLINE_MS);
  const result = await insertRefreshRequest(db, key.scope, { id: ids(), targetId, now, deadlineAt });
  if ("rejected" in result) throw toRequestError(result, now);
  enqueueDue(context.enqueueRefreshes, [{ id: result.requested.id, dueAt: now }], now);
  return { data: toRefreshResponse(result.requested, key.scope), headers: buildHeaders(0, now) };
}

function toRequestError(result: Extract<RefreshRequestResult, { rejected: string }>, now: Date) {
  if (result.rejected === "unknown") return apiError("not_found", "No target with this id is visible to the key.");
  if (result.rejected === "running") {
    const message = "A refresh of this target is running. Wait until it has ended.";
    return apiError("analytics_conflict", message, { headers: buildHeaders(result.remaining, now) });
  }
  const message =
    result.rejected === "used"
      ? "Today's free refresh of this target is used up. The next one is available after midnight UTC."
      : "The policy of this target allows no free refresh. Set refreshPolicy.freeDailyRefresh to allow it.";
  return apiError("rate_limited", message, {
    retry_after_seconds: getSecondsUntilNextDay(now),
    headers: buildHeaders(0, now),
  });
}

/** The target's daily quota, in the same headers as other rate limits. */
function buildHeaders(remaining: number, now: Date): Record<string, string> {
  return buildRateLimitHeaders([{ ...REFRESH_POLICY, remaining, resetSeconds: getSecondsUntilNextDay(now) }]);
}

export const REFRESH_POLICY = {
  name: "analytics_refreshes",
  policy: { quota: 1, windowSeconds: DAY_SECONDS },
};
