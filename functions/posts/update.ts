import { endpoint } from "../../lib/http/endpoint.ts";
import { loadPost } from "../../lib/publishing/load-post.ts";
import { updatePost } from "../../lib/publishing/update-post.ts";
import { PostPatch } from "../../lib/schemas/post-body.ts";
import { PostUpdated } from "../../lib/schemas/post-changes.ts";
import { countOutsideUrls } from "../../lib/services/outside-urls.ts";
import { listFetchedUrls } from "../../lib/shared/post-content.ts";

export default endpoint("posts.update", {
  route: "PATCH /posts/{postId}",
  permission: "posts:write",
  summary: "Update a post that is not published yet",
  params: { postId: "post" },
  body: PostPatch,
  reply: PostUpdated,
  message: "Post updated.",
  errors: [
    "not_found",
    "post_not_editable",
    "post_in_flight",
    "post_conflict",
    "external_id_immutable",
    "validation_failed",
    "unknown_accounts",
    "invalid_music_url",
    "media_unreachable",
    "no_slots",
  ],
  internalError: "update_failed",
  limits: ["post_checks", "outside_urls"],
  costs: ({ body, env }) => ({ outside_urls: countOutsideUrls(listFetchedUrls(body), env) }),

  load: (context) => loadPost(context, context.params.postId, context.body),

  handle: updatePost,
});
