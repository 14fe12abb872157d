import { analyticsEndpoint } from "../../lib/http/families.ts";
import { deleteTarget } from "../../lib/queries/analytics-targets.ts";
import { TargetDeleted } from "../../lib/schemas/analytics.ts";
import { apiError } from "../../lib/shared/errors.ts";

export default analyticsEndpoint("analytics.delete-target", {
  route: "DELETE /analytics/targets/{targetId}",
  permission: "analytics:write",
  summary: "Stop tracking an account and delete its stored posts and metrics",
  params: { targetId: "target" },
  reply: TargetDeleted,
  message: "Target deleted.",
  errors: ["not_found"],

  async handle({ db, key, params, now }) {
    const deleted = await deleteTarget(db, key.scope, params.targetId, now);
    if (!deleted) throw apiError("not_found", "No target with this id is visible to the key.");
    return { deleted: true as const, target_id: params.targetId };
  },
});
