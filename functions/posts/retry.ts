import { endpoint } from "../../lib/endpoint.ts";
import { retryPosts } from "../../lib/publishing/retry.ts";
import { PostRetried } from "../../lib/schemas/post.ts";
import { PostRetry } from "../../lib/schemas/post-body.ts";

export default endpoint("posts.retry", {
  route: "POST /posts/retry",
  summary: "Send the failed deliveries of posts again",
  description: "A delivery whose outcome is unknown is looked up at its network first, and never sent again blindly.",
  body: PostRetry,
  reply: PostRetried,
  message: "Retry accepted.",
  failure: "retry_failed",

  handle: (call) => retryPosts(call, call.body.post_ids, call.body.account_ids ?? null),
});
