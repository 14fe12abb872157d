import { endpoint } from "../../lib/http/endpoint.ts";
import { respond } from "../../lib/http/endpoint-spec.ts";
import { createPost } from "../../lib/publishing/create-post.ts";
import { readReferences, resolveReferences } from "../../lib/publishing/load-references.ts";
import { PostCreate } from "../../lib/schemas/post-body.ts";
import { PostAccepted } from "../../lib/schemas/post-changes.ts";
import { countOutsideUrls } from "../../lib/services/outside-urls.ts";
import { listFetchedUrls } from "../../lib/shared/post-content.ts";

const EXISTS = "A post with this external_id already exists.";

export default endpoint("posts.create", {
  route: "POST /posts",
  permission: "posts:publish",
  summary: "Publish a post to its accounts, now or at a scheduled time",
  body: PostCreate,
  errorFormat: "fields",
  reply: PostAccepted,
  status: 201,
  message: "Post accepted.",
  alternateResponse: { status: 200, message: EXISTS },
  errors: [
    "validation_failed",
    "unknown_accounts",
    "invalid_music_url",
    "media_unreachable",
    "no_slots",
    "external_id_conflict",
  ],
  internalError: "create_failed",
  limits: ["outside_urls"],
  costs: ({ body, env }) => ({ outside_urls: countOutsideUrls(listFetchedUrls(body), env) }),

  load: (context) => readReferences(context, context.body),

  async handle(context, found) {
    const references = await resolveReferences(context, context.body, found);
    const post = await createPost(context, context.body, references);
    return post.duplicate ? respond(200, EXISTS, post) : post;
  },
});
