import { endpoint } from "../../lib/http/endpoint.ts";
import { retryPosts } from "../../lib/publishing/retry.ts";
import { PostRetry } from "../../lib/schemas/post-body.ts";
import { PostRetried } from "../../lib/schemas/post-changes.ts";

export default endpoint("posts.retry", {
  route: "POST /posts/retry",
  permission: "posts:publish",
  summary: "Retry the failed deliveries of posts",
  body: PostRetry,
  reply: PostRetried,
  message: "Retry accepted.",
  internalError: "retry_failed",

  handle: (context) => retryPosts(context, context.body),
});
