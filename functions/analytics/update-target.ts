import { toTargetResponse } from "../../lib/analytics/to-response.ts";
import { analyticsEndpoint } from "../../lib/http/families.ts";
import { updateTarget } from "../../lib/queries/analytics-targets.ts";
import { DEFAULT_REFRESH_POLICY, Target, TargetPatch } from "../../lib/schemas/analytics.ts";
import { apiError } from "../../lib/shared/errors.ts";

export default analyticsEndpoint("analytics.update-target", {
  route: "PATCH /analytics/targets/{targetId}",
  permission: "analytics:write",
  summary: "Change the name, the favorite flag or the refresh policy of a tracked account",
  params: { targetId: "target" },
  body: TargetPatch,
  reply: Target,
  message: "Target updated.",
  errors: ["not_found"],

  async handle({ db, key, params, body, now }) {
    const { refreshPolicy, ...change } = body;
    const policy = refreshPolicy === null ? DEFAULT_REFRESH_POLICY : refreshPolicy;
    const target = await updateTarget(db, key.scope, params.targetId, { ...change, ...policy }, now);
    if (!target) throw apiError("not_found", "No target with this id is visible to the key.");
    return toTargetResponse(target);
  },
});
