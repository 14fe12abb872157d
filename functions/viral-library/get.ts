import { viralLibraryEndpoint } from "../../lib/http/families.ts";
import { findViralPost } from "../../lib/queries/viral.ts";
import { ViralPost } from "../../lib/schemas/viral.ts";
import { apiError } from "../../lib/shared/errors.ts";
import { toViralPostResponse } from "../../lib/viral-library/to-response.ts";

export default viralLibraryEndpoint("viral-library.get", {
  route: "GET /viral-library/{postId}",
  permission: "research:read",
  summary: "Get one post of the viral library with the texts of its slides",
  params: { postId: "post" },
  nonUuidParams: ["postId"],
  reply: ViralPost,
  message: "Viral post.",
  errors: ["not_found", "rate_limited", "provider_unavailable"],
  limits: ["viral_posts", "viral_posts_daily", "viral_posts_shared"],

  load: ({ db, params }) => findViralPost(db, params.postId),

  async handle(_context, post) {
    if (!post) throw apiError("not_found", "The viral library has no post with this id.");
    return toViralPostResponse(post, post.slideTexts ?? []);
  },
});
