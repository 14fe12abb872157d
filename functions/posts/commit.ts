import { endpoint } from "../../lib/http/endpoint.ts";
import { enqueueByKind } from "../../lib/jobs/enqueue.ts";
import { findPlanChanges, hashPlan } from "../../lib/publishing/plan.ts";
import { findProblems, toPreflightError } from "../../lib/publishing/preflight.ts";
import { toPostResponse } from "../../lib/publishing/to-response.ts";
import {
  type LoadedPost,
  loadPostForUpdate,
  retryOnConflict,
  savePostUpdate,
} from "../../lib/publishing/update-post.ts";
import { findWarnings } from "../../lib/publishing/warnings.ts";
import { PostAccepted } from "../../lib/schemas/post.ts";
import { PostCommit } from "../../lib/schemas/post-body.ts";
import type { RequestContext } from "../../lib/services/context.ts";
import { apiError } from "../../lib/shared/errors.ts";
import type { PostStatus } from "../../lib/shared/post-status.ts";

export default endpoint("posts.commit", {
  route: "POST /posts/{postId}/commit",
  permission: "posts:write",
  summary: "Publish a prepared draft, now or at a time",
  params: { postId: "post" },
  body: PostCommit,
  errorFormat: "fields",
  reply: PostAccepted,
  message: "Draft committed.",
  errors: [
    "not_found",
    "post_not_draft",
    "post_in_flight",
    "plan_changed",
    "validation_failed",
    "unknown_accounts",
    "media_unreachable",
  ],
  internalError: "commit_failed",
  limits: ["post_checks"],

  load: ({ body, params, ...context }) => {
    const patch = body.scheduled_at === undefined ? {} : { scheduled_at: body.scheduled_at };
    return loadPostForUpdate(context, params.postId, patch);
  },

  handle: (context, loaded) =>
    retryOnConflict(context, loaded, (current) => commitDraft(context, context.body.plan_hash, current)),
});

async function commitDraft(context: RequestContext, planHash: string | undefined, loaded: LoadedPost) {
  const { stored, merged, resolved } = loaded;
  if (stored.status !== "draft") throw apiError("post_not_draft", describeStatus(stored.status));
  const asPrepared = { ...merged, scheduled_at: stored.scheduledAt ?? undefined };
  const changed = planHash === undefined ? [] : findPlanChanges(planHash, asPrepared, resolved);
  if (changed.length > 0) {
    throw apiError(
      "plan_changed",
      `The draft has changed since the plan was made: ${changed.join(", ")}. Read it, and commit it with plan_hash ${hashPlan(asPrepared, resolved)}.`,
    );
  }
  const error = toPreflightError(findProblems(merged, resolved, context.now));
  if (error) throw error;
  const updated = await savePostUpdate(context, loaded, {
    allowedStatuses: ["draft"],
    draft: false,
    requeue: true,
    wrongStatusCode: "post_not_draft",
    describeStatus,
  });
  if (!updated) return null;
  enqueueByKind(context, updated.due, context.now);
  return { ...toPostResponse(updated.post), warnings: findWarnings(merged, resolved) };
}

/** A new post would be a second one: another request has committed this draft. */
function describeStatus(status: PostStatus): string {
  return `Only drafts can be committed; this post is ${status}. Read it: it may have been committed already.`;
}
