import { endpoint } from "../../lib/endpoint.ts";
import { refuse } from "../../lib/errors.ts";
import * as posts from "../../lib/queries/posts.ts";
import { Post } from "../../lib/schemas/post.ts";

export default endpoint("posts.get", {
  route: "GET /posts/{postId}",
  summary: "The status of one post with the state of every account",
  params: { postId: "post" },
  reply: Post,
  message: "Post.",
  refuses: ["not_found"],
  failure: "get_failed",

  async handle({ db, key, params }) {
    const post = await posts.find(db, key.scope, params.postId);
    if (!post) throw refuse("not_found", "No post with this id is visible to the key.");
    return post;
  },
});
