import { endpoint } from "../../lib/endpoint.ts";
import { refuse } from "../../lib/errors.ts";
import * as targets from "../../lib/queries/analytics-targets.ts";
import { TargetDeleted } from "../../lib/schemas/analytics.ts";

export default endpoint("analytics.delete-target", {
  route: "DELETE /analytics/targets/{targetId}",
  summary: "Stop tracking an account; what was seen of it is deleted",
  params: { targetId: "target" },
  reply: TargetDeleted,
  message: "Target deleted.",
  refuses: ["not_found"],
  failure: "analytics_failed",
  absentPlan: 403,
  badQuery: { code: "invalid_query", status: 400 },

  async handle({ db, key, params, now }) {
    const deleted = await targets.remove(db, key.scope, params.targetId, now);
    if (!deleted) throw refuse("not_found", "No target with this id is visible to the key.");
    return { deleted: true as const, target_id: params.targetId };
  },
});
