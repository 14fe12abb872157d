import { endpoint } from "../../lib/http/endpoint.ts";
import { BriefQuery, TrendBrief } from "../../lib/schemas/trends.ts";
import { getTrendBrief } from "../../lib/trends/brief.ts";

export default endpoint("trends.brief", {
  route: "GET /trends/brief",
  permission: "research:read",
  summary: "Get what short videos about a keyword have in common",
  query: BriefQuery,
  reply: TrendBrief,
  message: "Trend brief.",
  internalError: "trends_brief_failed",

  async handle(context) {
    const { limit, ...request } = context.query;
    const trendBrief = await getTrendBrief(context, request);
    return { ...trendBrief, evidence: { sample_videos: trendBrief.evidence.sample_videos.slice(0, limit) } };
  },
});
