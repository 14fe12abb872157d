import { endpoint } from "../../lib/http/endpoint.ts";
import { editPublished } from "../../lib/publishing/edit-published.ts";
import { PublishedEditBody } from "../../lib/schemas/post-body.ts";
import { PublishedEdited } from "../../lib/schemas/post-changes.ts";

export default endpoint("posts.edit-published", {
  route: "POST /posts/{postId}/edit-published",
  permission: "posts:publish",
  summary: "Change the text of a post that is out",
  params: { postId: "post" },
  body: PublishedEditBody,
  reply: PublishedEdited,
  message: "Post changed where its networks allow it.",
  errors: ["not_found", "post_not_published", "post_in_flight", "unknown_accounts", "validation_failed"],
  internalError: "edit_published_failed",
  limits: ["published_changes"],

  handle: (context) => editPublished(context, context.params.postId, context.body),
});
