import { periodOf } from "../../lib/analytics/period.ts";
import { summaryOf } from "../../lib/analytics/summary.ts";
import { endpoint } from "../../lib/endpoint.ts";
import * as analytics from "../../lib/queries/analytics-summary.ts";
import { Summary, SummaryQuery } from "../../lib/schemas/analytics.ts";

export default endpoint("analytics.summary", {
  route: "GET /analytics/summary",
  summary: "What the tracked accounts gained and published in a period, against the period before",
  query: SummaryQuery,
  reply: Summary,
  message: "Summary of the period.",
  failure: "analytics_failed",
  absentPlan: 403,
  badQuery: { code: "invalid_query", status: 400 },

  async handle({ db, key, query, now }) {
    return summaryOf(await analytics.summarize(db, key.scope, query, periodOf(query, now)));
  },
});
