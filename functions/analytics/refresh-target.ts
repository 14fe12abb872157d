import { REFRESH_POLICY, requestRefresh } from "../../lib/analytics/request-refresh.ts";
import { respond } from "../../lib/http/endpoint-spec.ts";
import { analyticsEndpoint } from "../../lib/http/families.ts";
import { RefreshRequested } from "../../lib/schemas/analytics.ts";

export default analyticsEndpoint("analytics.refresh-target", {
  route: "POST /analytics/targets/{targetId}/refresh",
  permission: "analytics:write",
  summary: "Refresh the posts of a tracked account in the background",
  params: { targetId: "target" },
  reply: RefreshRequested,
  status: 202,
  message: "Refresh accepted.",
  errors: ["not_found", "analytics_conflict", "rate_limited"],
  ownLimit: { getPolicy: () => REFRESH_POLICY },

  async handle(context) {
    const { data, headers } = await requestRefresh(context, context.params.targetId);
    return respond(202, "Refresh accepted.", data, headers);
  },
});
