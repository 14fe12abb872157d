import { buildSummary } from "../../lib/analytics/summary.ts";
import { toTargetResponse } from "../../lib/analytics/to-response.ts";
import { analyticsEndpoint } from "../../lib/http/families.ts";
import { findTargetSummary } from "../../lib/queries/analytics-summary.ts";
import { TargetWithSummary } from "../../lib/schemas/analytics.ts";
import { resolvePeriod, toUtcDay } from "../../lib/schemas/analytics-period.ts";
import { SpanQuery } from "../../lib/schemas/analytics-queries.ts";
import { apiError } from "../../lib/shared/errors.ts";

export default analyticsEndpoint("analytics.get-target", {
  route: "GET /analytics/targets/{targetId}",
  permission: "analytics:read",
  summary: "Get one tracked account with its summary of a period",
  params: { targetId: "target" },
  query: SpanQuery,
  reply: TargetWithSummary,
  message: "Target.",
  errors: ["not_found"],

  load: ({ db, key, params, query, now }) =>
    findTargetSummary(db, key.scope, params.targetId, resolvePeriod(query, now), {
      today: toUtcDay(now),
      timeZone: query.timeZone,
    }),

  async handle(_context, found) {
    if (!found) throw apiError("not_found", "No target with this id is visible to the key.");
    return { target: toTargetResponse(found.target), summary: buildSummary(found.figures) };
  },
});
