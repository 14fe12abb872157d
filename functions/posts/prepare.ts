import { endpoint } from "../../lib/http/endpoint.ts";
import { respond } from "../../lib/http/endpoint-spec.ts";
import { preparePost } from "../../lib/publishing/create-post.ts";
import { readReferences, resolveReferences } from "../../lib/publishing/load-references.ts";
import { PostCreate } from "../../lib/schemas/post-body.ts";
import { PostPrepared } from "../../lib/schemas/post-changes.ts";
import { countOutsideUrls } from "../../lib/services/outside-urls.ts";
import { listFetchedUrls } from "../../lib/shared/post-content.ts";

const EXISTS = "A post with this external_id already exists.";

export default endpoint("posts.prepare", {
  route: "POST /posts/prepare",
  permission: "posts:write",
  summary: "Store a draft and check whether it can be published",
  body: PostCreate,
  errorFormat: "fields",
  reply: PostPrepared,
  status: 201,
  message: "Draft stored.",
  alternateResponse: { status: 200, message: EXISTS },
  errors: ["unknown_accounts", "external_id_conflict", "validation_failed"],
  internalError: "prepare_failed",
  limits: ["post_checks", "outside_urls"],
  costs: ({ body, env }) => ({ outside_urls: countOutsideUrls(listFetchedUrls(body), env) }),

  load: (context) => readReferences(context, context.body),

  async handle(context, found) {
    const references = await resolveReferences(context, context.body, found);
    const post = await preparePost(context, context.body, references);
    return post.duplicate ? respond(200, EXISTS, post) : post;
  },
});
