// Stores a new post: to publish it, or as a draft. A repeated request finds the post that the first one stored.
import stringify from "safe-stable-stringify";
import type * as z from "zod";
import { enqueueByKind } from "../jobs/enqueue.ts";
import { insertPost, type PostInsert } from "../queries/new-posts.ts";
import { type FirstAttempt, findDuplicatePost, type StoredPost } from "../queries/posts.ts";
import type { PostDraft } from "../schemas/post-body.ts";
import type { PostAccepted, PostPrepared } from "../schemas/post-changes.ts";
import type { RequestContext } from "../services/context.ts";
import { sha256Hex } from "../shared/crypto.ts";
import { type ApiError, apiError } from "../shared/errors.ts";
import { planParts } from "../shared/post-content.ts";
import { toWorkKind } from "../shared/work-kinds.ts";
import { checkPost, toDraftError, toProblemError } from "./check-post.ts";
import { findConflicts } from "./find-conflicts.ts";
import { NOT_DUE, planFirstAttempt } from "./first-attempt.ts";
import { getAccountIds, type References } from "./load-references.ts";
import { hashPlan } from "./plan.ts";
import { resolveTime } from "./resolve-time.ts";
import { listSlotCandidates, noSlotsError, requestSlot } from "./take-slot.ts";
import { toPostResponse } from "./to-response.ts";

/** Stores a post that is published at its time. Throws an error with all problems of a post that cannot be published. */
export async function createPost(
  call: RequestContext,
  given: PostDraft,
  references: References,
): Promise<z.input<typeof PostAccepted>> {
  const draft = resolveTime(given, references.timeZone);
  const slotTimes = listSlotCandidates(draft, references, call.now);
  const { problems, warnings } = checkPost(draft, references, call.now, slotTimes);
  const stored = await storePost(call, draft, planFirstAttempt(draft, call.now), toProblemError(problems), slotTimes);
  const conflicts = findConflicts(draft, references, call.now, slotTimes, stored.id);
  return { ...stored, warnings: [...warnings, ...conflicts] };
}

/** Stores a draft with its checks and the hash of its plan, which a commit can name. */
export async function preparePost(
  call: RequestContext,
  given: PostDraft,
  references: References,
): Promise<z.input<typeof PostPrepared>> {
  const draft = resolveTime(given, references.timeZone);
  const slotTimes = listSlotCandidates(draft, references, call.now);
  const { problems, warnings, checks } = checkPost(draft, references, call.now, slotTimes);
  const stored = await storePost(call, draft, NOT_DUE, toDraftError(problems));
  const conflicts = findConflicts(draft, references, call.now, slotTimes, stored.id);
  return { ...stored, warnings: [...warnings, ...conflicts], checks, plan_hash: hashPlan(draft, references) };
}

/** Throws `error` unless the post already exists: a retry succeeds even if its time has passed or its media is gone. */
async function storePost(
  call: RequestContext,
  draft: PostDraft,
  firstAttempt: FirstAttempt,
  error: ApiError | null,
  slotTimes: Date[] | null = null,
) {
  const { db, key, actor, ids, now } = call;
  const source = actor.kind === "member" ? "dashboard" : "partner_api";
  const slot = slotTimes && requestSlot(draft, slotTimes, null);
  const insert = { ...buildInsert({ ids, now, source }, draft, firstAttempt), slot };
  const inserted = error ? null : await insertPost(db, key.scope, draft, insert);
  const post = inserted ?? (await findExistingPost(call, draft, insert, error ?? (slot && noSlotsError())));
  if (post.id !== insert.id) return { ...toPostResponse(post), duplicate: true };
  const kind = toWorkKind(draft);
  const { nextAttemptAt } = slot ? planFirstAttempt({ ...draft, scheduledAt: post.scheduledAt }, now) : firstAttempt;
  enqueueByKind(
    call,
    insert.targets.map(({ id }) => ({ id, dueAt: nextAttemptAt, kind })),
    now,
  );
  return toPostResponse(post);
}

export function buildInsert(
  { ids, now, source }: Pick<RequestContext, "ids" | "now"> & Pick<PostInsert, "source">,
  draft: PostDraft,
  firstAttempt: FirstAttempt,
): PostInsert {
  const accountIds = getAccountIds(draft);
  return {
    id: ids(),
    payloadHash: hashPayload(draft, accountIds),
    source,
    createdAt: now,
    targets: accountIds.map((accountId) => ({ id: ids(), accountId, parts: planParts(draft, accountId) })),
    firstAttempt,
    slot: null,
  };
}

/** Fields that say nothing are left out, so that a post of before they existed has the hash that its row keeps. */
function hashPayload({ accounts: _, ...draft }: PostDraft, accountIds: string[]): string {
  const { overrides, firstComment, thread, link, scheduledAt, schedule, scheduleZone: _zone, ...payload } = draft;
  const added = {
    // A time of a clock is the same request after a change of rules.
    ...(schedule ? { schedule } : { scheduledAt }),
    ...(overrides.length > 0 ? { overrides } : {}),
    ...(firstComment === null ? {} : { firstComment }),
    ...(thread === null ? {} : { thread }),
    ...(link === null ? {} : { link }),
  };
  return sha256Hex(stringify({ ...payload, ...added, accountIds }) ?? "");
}

/** Finds the post that an earlier execution of the request stored, or an equal one with the same external id. */
async function findExistingPost(
  { db, key }: RequestContext,
  { externalId }: PostDraft,
  { id, payloadHash }: PostInsert,
  error: ApiError | null,
): Promise<StoredPost> {
  const existing = await findDuplicatePost(db, key.scope, { id, externalId });
  if (!existing) throw error ?? new Error("The post was neither inserted nor found.");
  if (existing.payloadHash === payloadHash && existing.post) return existing.post;
  const which = existing.post ? "with a different payload" : "that this key does not see";
  const message = `external_id ${externalId} is already used by a post ${which}. Use another external_id.`;
  throw apiError("external_id_conflict", message);
}
