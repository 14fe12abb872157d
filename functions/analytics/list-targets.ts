import { dayOf } from "../../lib/analytics/period.ts";
import { endpoint } from "../../lib/endpoint.ts";
import * as targets from "../../lib/queries/analytics-targets.ts";
import { TargetList, TargetQuery } from "../../lib/schemas/analytics.ts";

export default endpoint("analytics.list-targets", {
  route: "GET /analytics/targets",
  summary: "List the tracked accounts, newest first",
  query: TargetQuery,
  reply: TargetList,
  message: "Targets in scope.",
  failure: "analytics_failed",
  absentPlan: 403,
  badQuery: { code: "invalid_query", status: 400 },

  async handle({ db, key, query, now }) {
    const page = await targets.list(db, key.scope, query, dayOf(now));
    return { ...page, ...query, targets: page.targets.map((target) => ({ ...target, target_id: target.id })) };
  },
});
