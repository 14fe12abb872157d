import { endpoint } from "../../lib/endpoint.ts";
import { refuse } from "../../lib/errors.ts";
import * as refreshes from "../../lib/queries/analytics-refreshes.ts";
import { Refreshing } from "../../lib/schemas/analytics.ts";

export default endpoint("analytics.get-refresh", {
  route: "GET /analytics/refreshes/{refreshId}",
  summary: "How far a refresh has come",
  params: { refreshId: "refresh" },
  reply: Refreshing,
  message: "Refresh.",
  refuses: ["not_found"],
  failure: "analytics_failed",
  absentPlan: 403,
  badQuery: { code: "invalid_query", status: 400 },

  async handle({ db, key, params }) {
    const found = await refreshes.find(db, key.scope, params.refreshId);
    if (!found) throw refuse("not_found", "No refresh with this id is visible to the key.");
    const { wasFree, ...refresh } = found;
    return { refresh, wasFree };
  },
});
