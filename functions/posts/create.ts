import { endpoint } from "../../lib/http/endpoint.ts";
import { respond } from "../../lib/http/endpoint-spec.ts";
import { enqueueByKind } from "../../lib/jobs/enqueue.ts";
import { insertOrFindPost } from "../../lib/publishing/insert-post.ts";
import { loadReferences } from "../../lib/publishing/load-references.ts";
import { buildPost, getMediaUrls } from "../../lib/publishing/new-post.ts";
import { findProblems, toPreflightError } from "../../lib/publishing/preflight.ts";
import { toPostResponse } from "../../lib/publishing/to-response.ts";
import { findWarnings } from "../../lib/publishing/warnings.ts";
import { PostAccepted } from "../../lib/schemas/post.ts";
import { PostCreate } from "../../lib/schemas/post-body.ts";
import { countOutsideUrls } from "../../lib/services/outside-urls.ts";
import { toWorkKind } from "../../lib/shared/work-kinds.ts";

export default endpoint("posts.create", {
  route: "POST /posts",
  permission: "posts:write",
  summary: "Publish a post to its accounts, now or at a scheduled time",
  body: PostCreate,
  errorFormat: "fields",
  reply: PostAccepted,
  status: 201,
  message: "Post accepted.",
  alternateResponse: { status: 200, message: "A post with this external_id already exists." },
  errors: ["validation_failed", "unknown_accounts", "invalid_music_url", "media_unreachable", "external_id_conflict"],
  internalError: "create_failed",
  limits: ["outside_urls"],
  costs: ({ body, env }) => ({ outside_urls: countOutsideUrls(getMediaUrls(body.media), env) }),

  load: (context) => loadReferences(context, context.body),

  async handle(context, resolved) {
    const { body, ids, now } = context;
    const draft = buildPost(body, ids, now, false);
    const error = toPreflightError(findProblems(body, resolved, now));
    const { post, outcome } = await insertOrFindPost(context, draft, error);
    const warnings = findWarnings(body, resolved);
    if (outcome === "duplicate") {
      return respond(200, "A post with this external_id already exists.", {
        ...toPostResponse(post),
        warnings,
        duplicate: true,
      });
    }
    const kind = toWorkKind(draft.media);
    enqueueByKind(
      context,
      draft.deliveries.map(({ id, nextAttemptAt }) => ({ id, dueAt: nextAttemptAt, kind })),
      now,
    );
    return { ...toPostResponse(post), warnings };
  },
});
