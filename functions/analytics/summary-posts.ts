import { engagementRate } from "../../lib/analytics/metrics.ts";
import { periodOf } from "../../lib/analytics/period.ts";
import { endpoint } from "../../lib/endpoint.ts";
import * as analytics from "../../lib/queries/analytics-summary.ts";
import { SummaryPosts, SummaryPostsQuery } from "../../lib/schemas/analytics.ts";

export default endpoint("analytics.summary-posts", {
  route: "GET /analytics/summary/posts",
  summary: "The posts that the tracked accounts published in a period",
  query: SummaryPostsQuery,
  reply: SummaryPosts,
  message: "Posts of the period.",
  failure: "analytics_failed",
  absentPlan: 403,
  badQuery: { code: "invalid_query", status: 400 },

  async handle({ db, key, query, now }) {
    const { posts, total } = await analytics.listPosts(db, key.scope, query, periodOf(query, now));
    return {
      posts: posts.map((post) => ({ ...post, engagementRate: engagementRate(post.metrics) })),
      totalCount: total,
      hasMore: query.offset + posts.length < total,
    };
  },
});
