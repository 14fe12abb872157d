// Inserts a new post, or finds the one that an earlier execution of the same request inserted.

import { findDuplicatePost, insertPost, type NewPost, type StoredPost } from "../queries/posts.ts";
import type { RequestContext } from "../services/context.ts";
import { type ApiError, apiError } from "../shared/errors.ts";

export interface InsertResult {
  post: StoredPost;
  /** `created` by this request, `retried` after an earlier execution of it, or a `duplicate` by external id. */
  outcome: "created" | "retried" | "duplicate";
}

/** Throws `error` unless the post already exists: a retry succeeds even if its time has passed or its media is gone. */
export async function insertOrFindPost(
  call: Pick<RequestContext, "db" | "key" | "actor">,
  draft: NewPost,
  error: ApiError | null,
): Promise<InsertResult> {
  const { scope } = call.key;
  const source = call.actor.kind === "member" ? "dashboard" : "partner_api";
  const stored = error ? null : await insertPost(call.db, scope, draft, source);
  if (stored) return { post: stored, outcome: "created" };
  const existing = await findDuplicatePost(call.db, scope, draft);
  if (!existing) throw error ?? new Error("The post was neither inserted nor found.");
  if (existing.payloadHash !== draft.payloadHash || !existing.post) {
    throw apiError(
      "external_id_conflict",
      `external_id ${draft.externalId} is already used by a post with a different payload. Use another external_id.`,
    );
  }
  return { post: existing.post, outcome: existing.post.id === draft.id ? "retried" : "duplicate" };
}
