import { buildSummary } from "../../lib/analytics/summary.ts";
import { analyticsEndpoint } from "../../lib/http/families.ts";
import { summarizeAnalytics } from "../../lib/queries/analytics-summary.ts";
import { Summary } from "../../lib/schemas/analytics.ts";
import { resolvePeriod } from "../../lib/schemas/analytics-period.ts";
import { SummaryQuery } from "../../lib/schemas/analytics-queries.ts";

export default analyticsEndpoint("analytics.summary", {
  route: "GET /analytics/summary",
  permission: "analytics:read",
  summary: "Summarize what the tracked accounts gained and published in a period, compared with the preceding period",
  query: SummaryQuery,
  reply: Summary,
  message: "Summary of the period.",

  load: ({ db, key, query, now }) => summarizeAnalytics(db, key.scope, query, resolvePeriod(query, now)),

  handle: async (_context, figures) => buildSummary(figures),
});
