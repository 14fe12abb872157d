import { endpoint } from "../../lib/http/endpoint.ts";
import { loadPost } from "../../lib/publishing/load-post.ts";
import { commitPost } from "../../lib/publishing/update-post.ts";
import { PostCommit } from "../../lib/schemas/post-body.ts";
import { PostAccepted } from "../../lib/schemas/post-changes.ts";

export default endpoint("posts.commit", {
  route: "POST /posts/{postId}/commit",
  permission: "posts:publish",
  summary: "Publish a prepared draft, now or at a time",
  params: { postId: "post" },
  body: PostCommit,
  errorFormat: "fields",
  reply: PostAccepted,
  message: "Draft committed.",
  errors: [
    "not_found",
    "post_not_draft",
    "post_in_flight",
    "plan_changed",
    "validation_failed",
    "unknown_accounts",
    "media_unreachable",
    "no_slots",
  ],
  internalError: "commit_failed",
  limits: ["post_checks"],

  load: (context) => loadPost(context, context.params.postId, context.body.patch),

  handle: (context, loaded) => commitPost(context, loaded, { planHash: context.body.planHash }),
});
