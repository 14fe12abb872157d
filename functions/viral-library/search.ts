import { endpoint } from "../../lib/endpoint.ts";
import { ViralPage, ViralQuery } from "../../lib/schemas/viral.ts";
import { find, recall } from "../../lib/search/find.ts";

export default endpoint("viral-library.search", {
  route: "GET /viral-library",
  summary: "Search organic posts that went viral, by meaning and by filters",
  description:
    "Costs its `limit` of the daily results before it runs, whether or not that many rows return. The pages after the first (offset above 0, same query) show the library as it was at the first page, for 15 minutes.",
  query: ViralQuery,
  reply: ViralPage,
  message: "Viral posts.",
  refuses: ["rate_limited", "provider_unavailable"],
  failure: "viral_library_failed",
  badQuery: "invalid_query",
  limits: ["viral_searches", "viral_searches_daily", "viral_results_daily", "viral_searches_shared"],
  costs: ({ query }) => ({ viral_results_daily: query.limit }),

  load: (call) => recall(call, call.query),

  handle: (call, remembered) => find(call, call.query, remembered),
});
