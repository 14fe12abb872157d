import { endpoint } from "../../lib/http/endpoint.ts";
import { enqueueByKind } from "../../lib/jobs/enqueue.ts";
import { getMediaUrls } from "../../lib/publishing/new-post.ts";
import { checkAccounts, hashPlan } from "../../lib/publishing/plan.ts";
import { findProblems, toPreflightError } from "../../lib/publishing/preflight.ts";
import { toPostResponse } from "../../lib/publishing/to-response.ts";
import {
  type LoadedPost,
  loadPostForUpdate,
  retryOnConflict,
  savePostUpdate,
} from "../../lib/publishing/update-post.ts";
import { findWarnings } from "../../lib/publishing/warnings.ts";
import { PostUpdated } from "../../lib/schemas/post.ts";
import { PostPatch } from "../../lib/schemas/post-body.ts";
import type { RequestContext } from "../../lib/services/context.ts";
import { countOutsideUrls } from "../../lib/services/outside-urls.ts";
import { apiError } from "../../lib/shared/errors.ts";
import type { PostStatus } from "../../lib/shared/post-status.ts";

const EDITABLE = ["draft", "pending", "scheduled", "retry", "failed"] as const;

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
    "external_id_immutable",
    "validation_failed",
    "unknown_accounts",
    "invalid_music_url",
    "media_unreachable",
  ],
  internalError: "update_failed",
  limits: ["post_checks", "outside_urls"],
  costs: ({ body, env }) => ({ outside_urls: countOutsideUrls(getMediaUrls(body.media), env) }),

  load: ({ body, params, ...context }) => loadPostForUpdate(context, params.postId, body),

  handle: (context, loaded) =>
    retryOnConflict(context, loaded, (current) => updatePost(context, context.body, current)),
});

async function updatePost(context: RequestContext, { external_id, scheduled_at }: PostPatch, loaded: LoadedPost) {
  const { stored, merged, resolved } = loaded;
  if (!EDITABLE.some((status) => status === stored.status)) {
    throw apiError("post_not_editable", describeStatus(stored.status));
  }
  if (external_id !== undefined && external_id !== stored.externalId) {
    throw apiError("external_id_immutable", "The external_id of a post cannot be changed. Omit external_id.");
  }
  const draft = stored.status === "draft";
  // A stored time that has passed in the meantime does not block an update of other fields.
  const validated = scheduled_at === undefined && !draft ? { ...merged, scheduled_at: undefined } : merged;
  const problems = findProblems(validated, resolved, context.now);
  const error = toPreflightError(draft ? problems.filter(({ code }) => code === "unknown_accounts") : problems);
  if (error) throw error;
  const requeue = scheduled_at !== undefined && !draft;
  const updated = await savePostUpdate(context, loaded, {
    allowedStatuses: EDITABLE,
    draft,
    requeue,
    wrongStatusCode: "post_not_editable",
    describeStatus,
  });
  if (!updated) return null;
  enqueueByKind(context, updated.due, context.now);
  const plan = draft
    ? { checks: checkAccounts(merged, resolved, problems), plan_hash: hashPlan(merged, resolved) }
    : {};
  return { ...toPostResponse(updated.post), warnings: findWarnings(merged, resolved), ...plan };
}

function describeStatus(status: PostStatus): string {
  return `The post is ${status} and can no longer be updated. To publish to accounts that failed, create a new post with only those accounts.`;
}
