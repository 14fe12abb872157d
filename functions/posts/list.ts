import { endpoint } from "../../lib/endpoint.ts";
import { summarize } from "../../lib/publishing/summary.ts";
import * as posts from "../../lib/queries/posts.ts";
import { PostList, PostQuery } from "../../lib/schemas/post.ts";

export default endpoint("posts.list", {
  route: "GET /posts",
  summary: "List the newest posts with the state of every account, and a summary of the scope",
  query: PostQuery,
  badQuery: { since: "invalid_since", until: "invalid_until", status: "invalid_status" },
  reply: PostList,
  message: "Posts in scope.",
  failure: "list_failed",

  async handle({ db, key, query }) {
    const page = await posts.list(db, key.scope, query);
    return { summary: summarize(page.counts), posts: page.posts };
  },
});
