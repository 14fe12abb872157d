import { viralLibraryEndpoint } from "../../lib/http/families.ts";
import { ViralPage, ViralQuery } from "../../lib/schemas/viral.ts";
import { loadCachedSearch, searchViralLibrary } from "../../lib/viral-library/search.ts";

export default viralLibraryEndpoint("viral-library.search", {
  route: "GET /viral-library",
  permission: "research:read",
  summary: "Search organic viral posts by meaning and by filters",
  query: ViralQuery,
  reply: ViralPage,
  message: "Viral posts.",
  errors: ["rate_limited", "provider_unavailable"],
  limits: ["viral_searches", "viral_searches_daily", "viral_results_daily", "viral_searches_shared"],
  costs: ({ query }) => ({ viral_results_daily: query.limit }),

  load: (context) => loadCachedSearch(context, context.query),

  handle: (context, cached) => searchViralLibrary(context, context.query, cached),
});
