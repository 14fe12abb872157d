import { dayOf, periodOf } from "../../lib/analytics/period.ts";
import { summaryOf } from "../../lib/analytics/summary.ts";
import { endpoint } from "../../lib/endpoint.ts";
import { refuse } from "../../lib/errors.ts";
import * as analytics from "../../lib/queries/analytics-summary.ts";
import { SpanQuery, TargetShown } from "../../lib/schemas/analytics.ts";

export default endpoint("analytics.get-target", {
  route: "GET /analytics/targets/{targetId}",
  summary: "One tracked account, with its own summary of a period",
  params: { targetId: "target" },
  query: SpanQuery,
  reply: TargetShown,
  message: "Target.",
  refuses: ["not_found"],
  failure: "analytics_failed",
  absentPlan: 403,
  badQuery: { code: "invalid_query", status: 400 },

  async handle({ db, key, params, query, now }) {
    const period = periodOf(query, now);
    const found = await analytics.findTarget(db, key.scope, params.targetId, period, dayOf(now));
    if (!found) throw refuse("not_found", "No target with this id is visible to the key.");
    return { target: found.target, summary: summaryOf(found.figures) };
  },
});
