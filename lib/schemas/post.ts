// A post as answers show it, and how lists are asked for. Bodies are apart, so that a read evaluates none of their rules.
import * as z from "zod";
import { BoundIn, Id, Instant } from "./common.ts";

const Status = z.enum(["draft", "pending", "scheduled", "posted", "failed", "partial", "retry", "deleted", "void"]);

const AccountState = z.object({
  account_id: Id,
  status: Status,
  published_at: Instant.nullable(),
  published_url: z.string().nullable(),
  error_code: z.string().nullable(),
  error_message: z.string().nullable().describe("What went wrong, whose move it is, and what to do."),
  last_attempted_at: Instant.nullable(),
  attempts: z
    .int()
    .describe("Tries that came to an end, the one that published it included; 0 while nothing was tried."),
  next_attempt_at: Instant.nullable(),
});

const Warning = z.object({ field: z.string(), message: z.string(), code: z.string() });

export const Post = z
  .object({
    id: Id,
    caption: z.string(),
    status: Status,
    scheduled_at: Instant.nullable(),
    created_at: Instant,
    media: z.record(z.string(), z.unknown()).nullable().describe("As it was created; null for text only."),
    music_url: z.string().nullable(),
    tiktok: z.record(z.string(), z.unknown()).nullable(),
    pinterest: z.record(z.string(), z.unknown()).nullable(),
    external_id: z.string().nullable(),
    metadata: z.record(z.string(), z.unknown()),
    accounts: z.object({ total: z.int(), states: z.array(AccountState) }),
  })
  .meta({ id: "Post" });
export type Post = z.input<typeof Post>;

/** Answers of create and update: the post, and what the caller should know although it was accepted. */
export const PostAccepted = Post.extend({
  warnings: z.array(Warning),
  duplicate: z.boolean().optional().describe("True when external_id named a post that existed already."),
});

const Check = z.object({
  account_id: Id,
  ok: z.boolean(),
  caption_length: z.int(),
  caption_limit: z.int(),
  caption_unit: z.string(),
  problems: z.array(z.object({ path: z.string(), message: z.string(), code: z.string() })),
});

/** The answer of prepare: what publishing would meet, account by account. */
export const PostPrepared = PostAccepted.extend({
  checks: z.array(Check),
  plan_hash: z.string().describe("Send it with the commit to be refused when anything has changed."),
});

/** The answer of an update; a draft says again what publishing it would meet. */
export const PostUpdated = PostAccepted.extend({
  checks: z.array(Check).optional().describe("Drafts only."),
  plan_hash: z.string().optional().describe("Drafts only: of the draft as it is now."),
});

export const PostRetried = z.object({
  retried: z.int().describe("How many posts went back into the queue."),
  ids: z.array(Id),
  failed: z.array(Id).describe("Posts that did not; `errors` says why."),
  errors: z.record(Id, z.string()),
});

export const PostDeleted = z.object({
  deletedIds: z.array(Id),
  blockedStatuses: z.array(z.object({ id: Id, status: Status })).describe("Out already, or in a publisher's hands."),
  skipped: z.array(Id).describe("Not visible to the key."),
});

const Count = z.int();
export const PostList = z.object({
  summary: z.object({
    total: Count,
    pending: Count.describe("pending and scheduled"),
    published: Count.describe("posted and partial"),
    by_status: z.object({
      draft: Count,
      pending: Count.describe("retry counts here"),
      scheduled: Count,
      posted: Count,
      partial: Count,
      failed: Count,
    }),
  }),
  posts: z.array(Post),
});

const LISTABLE = ["draft", "pending", "scheduled", "posted", "failed", "partial", "retry"] as const;

/** Unknown keys are ignored; an out of range limit is clamped. */
export const PostQuery = z.object({
  status: z.enum(LISTABLE).optional(),
  limit: z
    .unknown()
    .optional()
    .transform((text) => clampLimit(typeof text === "string" ? text : ""))
    .meta({ type: "number", description: "20 unless given; below 1 is 1, above 100 is 100." }),
  since: BoundIn.optional(),
  until: BoundIn.optional(),
});

function clampLimit(text: string): number {
  const wanted = text.trim() === "" ? Number.NaN : Number(text);
  return Number.isNaN(wanted) ? 20 : Math.min(100, Math.max(1, Math.trunc(wanted)));
}
