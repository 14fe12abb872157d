// Asks for a refresh: one a UTC day is free, and one runs at a time.
import type { Call } from "../call.ts";
import { refuse } from "../errors.ts";
import { rateHeaders } from "../limits.ts";
import { nudgeDue } from "../publishing/nudge.ts";
import * as refreshes from "../queries/analytics-refreshes.ts";
import { secondsLeftOf } from "./period.ts";
import { DEADLINE_MS } from "./timing.ts";

export async function askForRefresh(call: Call, targetId: string) {
  const { db, key, ids, now } = call;
  const deadlineAt = new Date(now.getTime() + DEADLINE_MS);
  const answer = await refreshes.request(db, key.scope, { id: ids(), targetId, now, deadlineAt });
  if ("refused" in answer) throw refusalFor(answer, now);
  const { wasFree, ...refresh } = answer.asked;
  nudgeDue({ now, nudge: call.nudgeRefreshes }, [{ id: refresh.id, dueAt: now }]);
  return { data: { refresh, wasFree }, headers: told(0, now) };
}

function refusalFor(answer: Extract<refreshes.Requested, { refused: string }>, now: Date) {
  if (answer.refused === "unknown") return refuse("not_found", "No target with this id is visible to the key.");
  if (answer.refused === "running") {
    const message = "A refresh of this target is running. Wait until it has ended.";
    return refuse("analytics_conflict", message, { headers: told(answer.left, now) });
  }
  const message =
    answer.refused === "spent"
      ? "Today's free refresh of this target is spent. The next one is free after midnight UTC."
      : "The policy of this target allows no free refresh. Set refreshPolicy.freeDailyRefresh to allow it.";
  return refuse("rate_limited", message, { retry_after_seconds: secondsLeftOf(now), headers: told(0, now) });
}

/** What is left of the target's day, as other ceilings tell it. */
function told(remaining: number, now: Date): Record<string, string> {
  return rateHeaders([{ name: "analytics_refreshes", policy: DAILY, remaining, seconds: secondsLeftOf(now) }]);
}

const DAILY = { quota: 1, windowSeconds: 24 * 60 * 60 };
