import { endpoint } from "../../lib/endpoint.ts";
import { BriefQuery, TrendBrief } from "../../lib/schemas/trends.ts";
import { brief } from "../../lib/trends/brief.ts";

export default endpoint("trends.brief", {
  route: "GET /trends/brief",
  summary: "What short videos about a keyword have in common",
  description:
    "Videos that name the keyword in caption, hashtags or sound are analysed alone; when there are none, the most seen videos of the range stand in. Cached for 3 hours per platform, keyword and range.",
  query: BriefQuery,
  reply: TrendBrief,
  message: "Trend brief.",
  failure: "trends_brief_failed",
  badQuery: "invalid_query",

  async handle(call) {
    const { limit, ...asked } = call.query;
    const whole = await brief(call, asked);
    return { ...whole, evidence: { sample_videos: whole.evidence.sample_videos.slice(0, limit) } };
  },
});
