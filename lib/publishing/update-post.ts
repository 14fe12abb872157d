// Changes a stored post: updates it, or commits a draft.
import { enqueueByKind } from "../jobs/enqueue.ts";
import { savePostUpdate } from "../queries/post-updates.ts";
import type { FirstAttempt } from "../queries/posts.ts";
import type { RequestContext } from "../services/context.ts";
import { type ApiError, apiError } from "../shared/errors.ts";
import { hasPermission, missingPermissionError } from "../shared/permissions.ts";
import { planParts } from "../shared/post-content.ts";
import type { PostStatus } from "../shared/post-status.ts";
import { NEXT_SLOT } from "../shared/schedule.ts";
import { checkPost, toDraftError, toProblemError } from "./check-post.ts";
import { findConflicts } from "./find-conflicts.ts";
import { getPreparationMs, NOT_DUE, planFirstAttempt } from "./first-attempt.ts";
import { type LoadedPost, loadPost } from "./load-post.ts";
import { getAccountIds } from "./load-references.ts";
import { findPlanChanges, hashPlan } from "./plan.ts";
import { listSlotCandidates, noSlotsError, requestSlot } from "./take-slot.ts";
import { toPostResponse } from "./to-response.ts";

/** Stores the loaded post with its patch. A draft, and a scheduled post that becomes one, gets new checks and a new hash of its plan. */
export function updatePost(call: RequestContext, loaded: LoadedPost | null) {
  const rule = hasPermission(call.actor.permissions, "posts:publish") ? UPDATE : DRAFTS_ONLY;
  return changePost(call, loaded, rule, ({ id, stored, status, patch, draft, references }) => {
    if (patch.externalId !== undefined && patch.externalId !== stored.externalId) {
      throw apiError("external_id_immutable", "The external_id of a post cannot be changed. Omit external_id.");
    }
    const becomesDraft = patch.becomesDraft === true && status !== "draft";
    if (becomesDraft && status !== "scheduled") {
      throw apiError("post_not_editable", `Only a scheduled post can become a draft again; this one is ${status}.`);
    }
    // A post that holds a slot and gets another account keeps it only if it is free for that one too.
    const isAdded = (accountId: string) => !stored.accounts.some((account) => account.id === accountId);
    const isShared = status === "scheduled" && draft.schedule === NEXT_SLOT && getAccountIds(draft).some(isAdded);
    const ownSlot = isShared ? draft.scheduledAt : null;
    const slotTimes = listSlotCandidates(draft, references, call.now, ownSlot);
    const { problems, warnings: own, checks } = checkPost(draft, references, call.now, slotTimes);
    const warnings = [...own, ...findConflicts(draft, references, call.now, slotTimes, id)];
    if (status === "draft" || becomesDraft) {
      const result = { warnings, checks, plan_hash: hashPlan(draft, references) };
      return {
        error: toDraftError(problems, stored),
        firstAttempt: NOT_DUE,
        slotTimes: null,
        restarts: becomesDraft,
        result,
      };
    }
    const restarts = patch.scheduledAt !== undefined || ownSlot !== null;
    // A stored time that has passed in the meantime does not block an update of other fields.
    const current = restarts ? problems : problems.filter(({ path }) => path !== "scheduled_at");
    return {
      error: toProblemError(current),
      firstAttempt: planFirstAttempt(draft, call.now),
      slotTimes,
      restarts,
      result: { warnings },
    };
  });
}

interface Commit {
  /** The draft is published only if its plan is still this one. */
  planHash: string | undefined;
  /** The link that approves it, in the same statement. */
  approvalId?: string;
}

/** Publishes the loaded draft at its time. */
export function commitPost(call: RequestContext, loaded: LoadedPost | null, { planHash, approvalId }: Commit) {
  return changePost(call, loaded, COMMIT, ({ id, stored, draft, references }) => {
    const { scheduledAt, schedule, scheduleZone } = stored;
    const current = hashPlan({ ...draft, scheduledAt, schedule, scheduleZone }, references);
    const changes = planHash === undefined ? [] : findPlanChanges(planHash, current);
    if (changes.length > 0) {
      const [since, next] = approvalId
        ? ["its approval was asked for", "Ask for a new approval."]
        : ["the plan was made", `Read it, and commit it with plan_hash ${current}.`];
      throw apiError("plan_changed", `The draft has changed since ${since}: ${changes.join(", ")}. ${next}`);
    }
    const slotTimes = listSlotCandidates(draft, references, call.now);
    const { problems, warnings } = checkPost(draft, references, call.now, slotTimes);
    const firstAttempt = planFirstAttempt(draft, call.now);
    const result = { warnings: [...warnings, ...findConflicts(draft, references, call.now, slotTimes, id)] };
    return { error: toProblemError(problems), firstAttempt, slotTimes, restarts: true, approvalId, result };
  });
}

export const approvalEndedError = () =>
  apiError("approval_ended", "The approval was decided, withdrawn, or has expired. Ask for a new one.");

/** In which statuses a post may be changed, and the error in any other. */
interface StatusRule {
  statuses: readonly PostStatus[];
  toError(status: PostStatus): ApiError;
}

const UPDATE: StatusRule = {
  statuses: ["draft", "pending", "scheduled", "retry", "failed"],
  toError: (status) =>
    apiError(
      "post_not_editable",
      `The post is ${status} and can no longer be updated. To publish to accounts that failed, create a new post with only those accounts.`,
    ),
};

/** Of a caller that may not publish. */
const DRAFTS_ONLY: StatusRule = { statuses: ["draft"], toError: () => missingPermissionError("posts:publish") };

/** The message does not advise a new post, which would be a second one if another request has committed this draft. */
const COMMIT: StatusRule = {
  statuses: ["draft"],
  toError: (status) =>
    apiError(
      "post_not_draft",
      `Only drafts can be committed; this post is ${status}. Read it: it may have been committed already.`,
    ),
};

interface Decision<Result> {
  /** Why the change is rejected. */
  error: ApiError | null;
  /** For deliveries that are new to the post, and with `restarts` for all that are not published. */
  firstAttempt: FirstAttempt;
  /** The post takes one of these slots; null if it needs none. */
  slotTimes: Date[] | null;
  restarts: boolean;
  /** The link that approves the change. */
  approvalId?: string | undefined;
  /** The response contains this beside the post. */
  result: Result;
}

/** Far above any realistic number of concurrent updates of one post. */
const MAX_CONFLICTS = 50;

/**
 * Stores what `decide` allows. When another change came first, the post is loaded and decided again, so that no change is
 * lost and each is checked against the current state.
 */
async function changePost<Result>(
  call: RequestContext,
  first: LoadedPost | null,
  rule: StatusRule,
  decide: (loaded: LoadedPost) => Decision<Result>,
) {
  let loaded = first;
  for (let conflicts = 0; conflicts < MAX_CONFLICTS; conflicts++) {
    if (!loaded) break;
    if (!rule.statuses.includes(loaded.status)) throw rule.toError(loaded.status);
    const decision = decide(loaded);
    if (decision.error) throw decision.error;
    const updated = await savePost(call, loaded, rule, decision);
    if (updated) {
      enqueueByKind(call, updated.due, call.now);
      return { ...toPostResponse(updated.post), ...decision.result };
    }
    loaded = await loadPost(call, loaded.id, loaded.patch);
  }
  if (!loaded) throw apiError("not_found", "No post with this id is visible to the key.");
  throw apiError("post_in_flight", "Other requests are updating this post. Retry in a second.", {
    retry_after_seconds: 1,
  });
}

/** Of an account that is added to a failed post, which nothing but a new time or a retry publishes again. */
const NOT_QUEUED = {
  errorCode: "not_published",
  errorMessage:
    "Not published: the post had already failed when this account was added. Update scheduled_at (null publishes now), or retry the post.",
};

/** Null after a concurrent update. Throws 404 when the post is gone, 409 for its status, a change that came first, or in flight. */
async function savePost(
  call: RequestContext,
  { id, version, status, draft, patch }: LoadedPost,
  rule: StatusRule,
  { firstAttempt, slotTimes, restarts, approvalId }: Decision<unknown>,
) {
  const updated = await savePostUpdate(call.db, call.key.scope, id, {
    version,
    expectedUpdatedAt: patch.expectedUpdatedAt ?? null,
    allowedStatuses: rule.statuses,
    draft,
    targets: getAccountIds(draft).map((accountId) => ({
      ...{ id: call.ids(), accountId },
      parts: planParts(draft, accountId),
    })),
    firstAttempt,
    slot: slotTimes && requestSlot(draft, slotTimes, id),
    approvalId: approvalId ?? null,
    preparationMs: getPreparationMs(draft),
    restarts,
    notQueued: status === "failed" && !restarts ? NOT_QUEUED : null,
    now: call.now,
  });
  if (!updated) throw apiError("not_found", "No post with this id is visible to the key.");
  if (updated.outcome === "busy") {
    const message =
      "This post is being published, or its outcome is not known yet. Retry when it has a final status; for a failed post, POST /posts/retry checks the outcome.";
    throw apiError("post_in_flight", message, { retry_after_seconds: 5 });
  }
  if (updated.outcome === "no_slot") throw noSlotsError();
  if (updated.outcome === "approval_ended") throw approvalEndedError();
  if (updated.outcome === "status") throw rule.toError(updated.post.status);
  if (updated.outcome === "conflict") {
    const message = `The post was changed at ${updated.post.updatedAt.toISOString()}, after it was read. Read it again, then decide what to keep.`;
    throw apiError("post_conflict", message);
  }
  return updated.outcome === "changed" ? null : updated;
}
