import { endpoint } from "../../lib/http/endpoint.ts";
import { summarizeStatusCounts } from "../../lib/publishing/status-counts.ts";
import { toPostResponse } from "../../lib/publishing/to-response.ts";
import { listPosts } from "../../lib/queries/posts.ts";
import { PostList, PostQuery } from "../../lib/schemas/post.ts";

export default endpoint("posts.list", {
  route: "GET /posts",
  permission: "posts:read",
  summary: "List the newest posts with the state of every account, and a summary of the scope",
  query: PostQuery,
  queryError: { since: "invalid_since", until: "invalid_until", status: "invalid_status", cursor: "invalid_query" },
  reply: PostList,
  message: "Posts in scope.",
  internalError: "list_failed",

  load: ({ db, key, query }) => listPosts(db, key.scope, query),

  async handle(_context, page) {
    return {
      summary: summarizeStatusCounts(page.counts),
      posts: page.posts.map(toPostResponse),
      next_cursor: page.nextCursor,
    };
  },
});
