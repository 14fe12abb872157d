import { endpoint } from "../../lib/http/endpoint.ts";
import { respond } from "../../lib/http/endpoint-spec.ts";
import { insertOrFindPost } from "../../lib/publishing/insert-post.ts";
import { loadReferences } from "../../lib/publishing/load-references.ts";
import { buildPost, getMediaUrls } from "../../lib/publishing/new-post.ts";
import { checkAccounts, hashPlan } from "../../lib/publishing/plan.ts";
import { findProblems, toPreflightError } from "../../lib/publishing/preflight.ts";
import { toPostResponse } from "../../lib/publishing/to-response.ts";
import { findWarnings } from "../../lib/publishing/warnings.ts";
import { PostPrepared } from "../../lib/schemas/post.ts";
import { PostCreate } from "../../lib/schemas/post-body.ts";
import { countOutsideUrls } from "../../lib/services/outside-urls.ts";

export default endpoint("posts.prepare", {
  route: "POST /posts/prepare",
  permission: "posts:write",
  summary: "Store a draft and check whether it can be published",
  body: PostCreate,
  errorFormat: "fields",
  reply: PostPrepared,
  status: 201,
  message: "Draft stored.",
  alternateResponse: { status: 200, message: "A post with this external_id already exists." },
  errors: ["unknown_accounts", "external_id_conflict"],
  internalError: "prepare_failed",
  limits: ["post_checks", "outside_urls"],
  costs: ({ body, env }) => ({ outside_urls: countOutsideUrls(getMediaUrls(body.media), env) }),

  load: (context) => loadReferences(context, context.body),

  async handle(context, resolved) {
    const { body, ids, now } = context;
    const problems = findProblems(body, resolved, now);
    // A delivery needs an existing account; everything else can be fixed later.
    const error = toPreflightError(problems.filter(({ code }) => code === "unknown_accounts"));
    const { post, outcome } = await insertOrFindPost(context, buildPost(body, ids, now, true), error);
    const prepared = {
      ...toPostResponse(post),
      warnings: findWarnings(body, resolved),
      checks: checkAccounts(body, resolved, problems),
      plan_hash: hashPlan(body, resolved),
    };
    if (outcome !== "duplicate") return prepared;
    return respond(200, "A post with this external_id already exists.", { ...prepared, duplicate: true });
  },
});
