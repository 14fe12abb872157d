import { endpoint } from "../../lib/http/endpoint.ts";
import { unpublishPost } from "../../lib/publishing/unpublish.ts";
import { PostUnpublish } from "../../lib/schemas/post-body.ts";
import { PostUnpublished } from "../../lib/schemas/post-changes.ts";

export default endpoint("posts.unpublish", {
  route: "POST /posts/{postId}/unpublish",
  permission: "posts:publish",
  summary: "Take a published post down at its networks",
  params: { postId: "post" },
  body: PostUnpublish,
  reply: PostUnpublished,
  message: "Post taken down where its networks allow it.",
  errors: ["not_found", "post_not_published", "post_in_flight", "unknown_accounts"],
  internalError: "unpublish_failed",
  limits: ["published_changes"],

  handle: (context) => unpublishPost(context, context.params.postId, context.body.accountIds),
});
