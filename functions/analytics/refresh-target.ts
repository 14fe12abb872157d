import { askForRefresh } from "../../lib/analytics/ask.ts";
import { endpoint, tell } from "../../lib/endpoint.ts";
import { Refreshing } from "../../lib/schemas/analytics.ts";

export default endpoint("analytics.refresh-target", {
  route: "POST /analytics/targets/{targetId}/refresh",
  summary: "Read the posts of a tracked account anew, in the background",
  description:
    "One refresh a UTC day and target is free, and one that failed does not count. Ask for its state at GET /analytics/refreshes/{refreshId}.",
  params: { targetId: "target" },
  reply: Refreshing,
  status: 202,
  message: "Refresh accepted.",
  refuses: ["not_found", "analytics_conflict", "rate_limited"],
  tellsCeiling: true,
  failure: "analytics_failed",
  absentPlan: 403,
  badQuery: { code: "invalid_query", status: 400 },

  async handle(call) {
    const { data, headers } = await askForRefresh(call, call.params.targetId);
    return tell(202, "Refresh accepted.", data, headers);
  },
});
