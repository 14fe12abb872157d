// Responses of the endpoints that change posts.
import * as z from "zod";
import { Id } from "./common.ts";
import { Post, Status } from "./post.ts";

const Warning = z.object({ field: z.string(), message: z.string(), code: z.string() }).meta({ id: "PostWarning" });

/** Response of create and update: the post and its warnings. */
export const PostAccepted = Post.extend({
  warnings: z.array(Warning),
  duplicate: z.boolean().optional(),
});

const Check = z
  .object({
    account_id: Id,
    ok: z.boolean(),
    caption_length: z.int(),
    caption_limit: z.int(),
    caption_unit: z.string(),
    problems: z.array(z.object({ path: z.string(), message: z.string(), code: z.string() })),
  })
  .meta({ id: "PostCheck" });

/** Response of prepare: a check per account. */
export const PostPrepared = PostAccepted.extend({
  checks: z.array(Check),
  plan_hash: z.string(),
});

/** Response of update; for drafts with new checks and plan hash. */
export const PostUpdated = PostAccepted.extend({
  checks: z.array(Check).optional(),
  plan_hash: z.string().optional(),
});

export const PostRetried = z.object({
  retried: z.int(),
  ids: z.array(Id),
  failed: z.array(Id),
  errors: z.record(Id, z.string()),
  warnings: z.array(z.object({ post_id: Id, account_id: Id, code: z.string(), message: z.string() })),
});

const accountResult = <const Results extends readonly string[]>(results: Results) =>
  z.object({ account_id: Id, result: z.enum(results), message: z.string(), url: z.string().nullable() });

/** Response of unpublish: a result per account that had the post. */
export const PostUnpublished = z.object({
  id: Id,
  status: Status,
  results: z.array(
    accountResult(["unpublished", "already_gone", "not_supported", "failed"]).meta({ id: "UnpublishResult" }),
  ),
});

/** Response of edit-published: a result per account that has the post. */
export const PublishedEdited = z.object({
  id: Id,
  results: z.array(accountResult(["edited", "not_supported", "failed"]).meta({ id: "EditResult" })),
});

export const PostDeleted = z.object({
  deletedIds: z.array(Id),
  blockedStatuses: z.array(z.object({ id: Id, status: Status })),
  skipped: z.array(Id),
});
