import { describeNumbers } from "../../lib/analytics/describe-numbers.ts";
import { analyticsEndpoint } from "../../lib/http/families.ts";
import { listSummaryPosts } from "../../lib/queries/analytics-summary-posts.ts";
import { SummaryPosts } from "../../lib/schemas/analytics.ts";
import { postEngagementRate } from "../../lib/schemas/analytics-metrics.ts";
import { resolvePeriod } from "../../lib/schemas/analytics-period.ts";
import { SummaryPostsQuery } from "../../lib/schemas/analytics-queries.ts";

export default analyticsEndpoint("analytics.summary-posts", {
  route: "GET /analytics/summary/posts",
  permission: "analytics:read",
  summary: "List the posts that the tracked accounts published in a period",
  query: SummaryPostsQuery,
  reply: SummaryPosts,
  message: "Posts of the period.",

  load: ({ db, key, query, now }) => listSummaryPosts(db, key.scope, query, resolvePeriod(query, now)),

  async handle(_context, { posts, total, nextCursor }) {
    return {
      posts: posts.map(({ lastRefreshedAt, missingNumbers, ...post }) => ({
        ...post,
        numbers: describeNumbers({ platform: post.platform, lastRefreshedAt, missingNumbers }),
        engagementRate: postEngagementRate(post.metrics),
      })),
      totalCount: total,
      hasMore: nextCursor !== null,
      next_cursor: nextCursor,
    };
  },
});
