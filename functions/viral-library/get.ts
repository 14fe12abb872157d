import { endpoint } from "../../lib/endpoint.ts";
import { refuse } from "../../lib/errors.ts";
import * as viral from "../../lib/queries/viral.ts";
import { ViralPost } from "../../lib/schemas/viral.ts";

export default endpoint("viral-library.get", {
  route: "GET /viral-library/{postId}",
  summary: "One post of the viral library, with the texts of its slides",
  params: { postId: "post" },
  opaque: ["postId"],
  reply: ViralPost,
  message: "Viral post.",
  refuses: ["not_found", "rate_limited", "provider_unavailable"],
  failure: "viral_library_failed",
  limits: ["viral_posts", "viral_posts_daily", "viral_posts_shared"],

  load: ({ db, params }) => viral.find(db, params.postId),

  async handle(_call, post) {
    if (!post) throw refuse("not_found", "The viral library has no post with this id.");
    return post;
  },
});
