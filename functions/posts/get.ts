import { endpoint } from "../../lib/http/endpoint.ts";
import { toPostResponse } from "../../lib/publishing/to-response.ts";
import { findPost } from "../../lib/queries/posts.ts";
import { Post } from "../../lib/schemas/post.ts";
import { apiError } from "../../lib/shared/errors.ts";

export default endpoint("posts.get", {
  route: "GET /posts/{postId}",
  permission: "posts:read",
  summary: "Get one post with the state of every account",
  params: { postId: "post" },
  reply: Post,
  message: "Post.",
  errors: ["not_found"],
  internalError: "get_failed",

  load: ({ db, key, params }) => findPost(db, key.scope, params.postId),

  async handle(_context, post) {
    if (!post) throw apiError("not_found", "No post with this id is visible to the key.");
    return toPostResponse(post);
  },
});
