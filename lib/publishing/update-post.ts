// Updates an existing post: merges the patch, resolves its references and stores it unless another update came first.

import { type EditablePost, findEditablePost } from "../queries/editable-posts.ts";
import { type PostUpdate, updatePost } from "../queries/post-updates.ts";
import type { PostCreate, PostPatch } from "../schemas/post-body.ts";
import type { ReadContext, RequestContext } from "../services/context.ts";
import { apiError, type ErrorCode } from "../shared/errors.ts";
import type { PostStatus } from "../shared/post-status.ts";
import { mergeContent, toPostContent } from "./content.ts";
import { probeRemoteMedia, type ResolvedReferences } from "./load-references.ts";
import { getAccountIds, getDueTime, getMediaUrls, getPreparationMs } from "./new-post.ts";
import { DEADLINE_AFTER_DUE_MS } from "./timing.ts";

export interface LoadedPost {
  patch: PostPatch;
  stored: EditablePost;
  /** The stored post with the patch applied. */
  merged: PostCreate;
  resolved: ResolvedReferences;
}

/** Loads the post and all references of the merged post; null when the scope has no such post. */
export async function loadPostForUpdate(
  call: Pick<ReadContext, "db" | "key" | "fetch" | "env" | "resolveHost">,
  id: string,
  patch: PostPatch,
): Promise<LoadedPost | null> {
  const stored = await findEditablePost(call.db, call.key.scope, id, {
    accountIds: patch.accounts ? getAccountIds({ accounts: patch.accounts }) : [],
    urls: getMediaUrls(patch.media),
  });
  if (!stored) return null;
  const merged = mergePatch(stored, patch);
  return { patch, stored, merged, resolved: await probeRemoteMedia(call, merged, stored.accounts, stored.files) };
}

/** The content is merged, and `accounts` replaces the list. */
function mergePatch(stored: EditablePost, patch: PostPatch): PostCreate {
  const scheduledAt = patch.scheduled_at === undefined ? stored.scheduledAt : patch.scheduled_at;
  return {
    ...mergeContent(stored, patch),
    accounts: patch.accounts ?? stored.deliveries.map(({ accountId }) => ({ id: accountId })),
    scheduled_at: scheduledAt ?? undefined,
    external_id: stored.externalId ?? undefined,
  };
}

/** Far above any realistic number of concurrent updates of one post. */
const MAX_CONFLICT_RETRIES = 50;

/**
 * Runs `work` until it returns a result. Null means that another update came first: the post is loaded again, so that
 * concurrent updates are not lost and each is validated against the current state.
 */
export async function retryOnConflict<Result>(
  call: RequestContext,
  first: LoadedPost | null,
  work: (loaded: LoadedPost) => Promise<Result | null>,
): Promise<Result> {
  let loaded = first;
  for (let tries = 0; tries < MAX_CONFLICT_RETRIES; tries++) {
    if (!loaded) throw apiError("not_found", "No post with this id is visible to the key.");
    const result = await work(loaded);
    if (result) return result;
    loaded = await loadPostForUpdate(call, loaded.stored.id, loaded.patch);
  }
  throw apiError("post_in_flight", "Other requests are updating this post. Retry in a second.", {
    retry_after_seconds: 1,
  });
}

interface UpdateRules {
  allowedStatuses: PostUpdate["allowedStatuses"];
  /** The post stays a draft. */
  draft: boolean;
  /** Unpublished deliveries get a new due time and start over. */
  requeue: boolean;
  /** Error code and message when the status of the post does not allow the update. */
  wrongStatusCode: ErrorCode;
  describeStatus(status: PostStatus): string;
}

/** Of an account that is added to a failed post, which nothing but a new time or a retry publishes again. */
const NOT_QUEUED = {
  errorCode: "not_published",
  errorMessage:
    "Not published: the post had already failed when this account was added. Update scheduled_at (null publishes now), or retry the post.",
};

/** Stores the merged post; null after a concurrent update. Throws 404 when it is gone, 409 for its status or in flight. */
export async function savePostUpdate(call: RequestContext, { stored, merged }: LoadedPost, rules: UpdateRules) {
  const due = rules.draft ? null : getDueTime(merged.scheduled_at, call.now);
  const updated = await updatePost(call.db, call.key.scope, stored.id, {
    version: stored.version,
    allowedStatuses: rules.allowedStatuses,
    ...toPostContent(merged),
    scheduledAt: merged.scheduled_at ?? null,
    targets: getAccountIds(merged).map((accountId) => ({ id: call.ids(), accountId })),
    dueAt: due,
    deadlineAt: due && new Date(due.getTime() + DEADLINE_AFTER_DUE_MS),
    preparationMs: getPreparationMs(toPostContent(merged).media),
    requeue: rules.requeue,
    notQueued: stored.status === "failed" && !rules.requeue ? NOT_QUEUED : null,
    now: call.now,
  });
  if (!updated) throw apiError("not_found", "No post with this id is visible to the key.");
  if (updated.outcome === "busy") {
    const message =
      "This post is being published, or its outcome is not known yet. Retry when it has a final status; for a failed post, POST /posts/retry checks the outcome.";
    throw apiError("post_in_flight", message, { retry_after_seconds: 5 });
  }
  if (updated.outcome === "status") {
    throw apiError(rules.wrongStatusCode, rules.describeStatus(updated.post.status));
  }
  return updated.outcome === "changed" ? null : updated;
}
