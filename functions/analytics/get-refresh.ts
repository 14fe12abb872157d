import { toRefreshResponse } from "../../lib/analytics/to-response.ts";
import { analyticsEndpoint } from "../../lib/http/families.ts";
import { findRefresh } from "../../lib/queries/analytics-refresh-requests.ts";
import { RefreshRequested } from "../../lib/schemas/analytics.ts";
import { apiError } from "../../lib/shared/errors.ts";

export default analyticsEndpoint("analytics.get-refresh", {
  route: "GET /analytics/refreshes/{refreshId}",
  permission: "analytics:read",
  summary: "Get the state of a refresh",
  params: { refreshId: "refresh" },
  reply: RefreshRequested,
  message: "Refresh.",
  errors: ["not_found"],

  load: ({ db, key, params }) => findRefresh(db, key.scope, params.refreshId),

  async handle({ key }, found) {
    if (!found) throw apiError("not_found", "No refresh with this id is visible to the key.");
    return toRefreshResponse(found, key.scope);
  },
});
