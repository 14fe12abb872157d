import { endpoint } from "../../lib/endpoint.ts";
import { refuse } from "../../lib/errors.ts";
import * as targets from "../../lib/queries/analytics-targets.ts";
import { Target, TargetPatch } from "../../lib/schemas/analytics.ts";

export default endpoint("analytics.update-target", {
  route: "PATCH /analytics/targets/{targetId}",
  summary: "Change the name, the mark or the refresh policy of a tracked account",
  params: { targetId: "target" },
  body: TargetPatch,
  reply: Target,
  message: "Target updated.",
  refuses: ["not_found"],
  failure: "analytics_failed",
  absentPlan: 403,
  badQuery: { code: "invalid_query", status: 400 },

  async handle({ db, key, params, body, now }) {
    const { refreshPolicy, ...change } = body;
    const target = await targets.update(db, key.scope, params.targetId, { ...change, ...refreshPolicy }, now);
    if (!target) throw refuse("not_found", "No target with this id is visible to the key.");
    return target;
  },
});
