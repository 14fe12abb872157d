// A post in responses, and list queries. Separate from request bodies, so that reads do not evaluate their schemas.
import * as z from "zod";
import { POST_STATUSES } from "../shared/post-status.ts";
import { BoundInput, Id, Instant } from "./common.ts";

const Status = z.enum(POST_STATUSES);

const AccountState = z
  .object({
    account_id: Id,
    status: Status,
    published_at: Instant.nullable(),
    published_url: z.string().nullable(),
    error_code: z.string().nullable(),
    error_message: z.string().nullable().describe("What went wrong, who has to act and how."),
    last_attempted_at: Instant.nullable(),
    attempts: z.int().describe("Finished attempts, including the one that published it; 0 before the first."),
    next_attempt_at: Instant.nullable(),
    waiting_for: z
      .object({
        post_id: Id,
        reason: z.string(),
        until: Instant.nullable().describe("The next attempt at that post; null while it is being published."),
        until_at_most: Instant.describe("When that post ends, whatever happens."),
      })
      .nullable()
      .describe("The earlier post of the account that this one, which is due, has to wait for; else null."),
    overdue: z
      .object({
        since: Instant.describe("When the post was due."),
        cause: z.enum(["earlier_post", "retry", "processing", "service_delay"]),
        reason: z.string(),
      })
      .nullable()
      .describe("Why the post is not published more than a minute after it was due; null if it is not late."),
    at_risk: z
      .object({
        code: z.enum(["account_paused", "account_disconnected", "reconnect_before", "preparation_failed"]),
        reason: z.string(),
      })
      .nullable()
      .describe("Why a scheduled post would not go out as things are; null when nothing is in its way."),
  })
  .meta({ id: "PostAccountState" });
export type AccountState = z.input<typeof AccountState>;

const Warning = z.object({ field: z.string(), message: z.string(), code: z.string() }).meta({ id: "PostWarning" });

export const Post = z
  .object({
    id: Id,
    caption: z.string(),
    status: Status,
    scheduled_at: Instant.nullable(),
    created_at: Instant,
    media: z.record(z.string(), z.unknown()).nullable().describe("As sent; null for text-only posts."),
    music_url: z.string().nullable(),
    tiktok: z.record(z.string(), z.unknown()).nullable(),
    pinterest: z.record(z.string(), z.unknown()).nullable(),
    external_id: z.string().nullable(),
    metadata: z.record(z.string(), z.unknown()),
    accounts: z.object({ total: z.int(), states: z.array(AccountState) }),
  })
  .meta({ id: "Post" });
export type Post = z.input<typeof Post>;

/** Response of create and update: the post and its warnings. */
export const PostAccepted = Post.extend({
  warnings: z.array(Warning),
  duplicate: z.boolean().optional().describe("True if a post with this external_id already existed."),
});

const Check = z
  .object({
    account_id: Id,
    ok: z.boolean(),
    caption_length: z
      .int()
      .describe("Of a caption far over the limit, at least how long it is: such a caption is not measured to its end."),
    caption_limit: z.int(),
    caption_unit: z.string(),
    problems: z.array(z.object({ path: z.string(), message: z.string(), code: z.string() })),
  })
  .meta({ id: "PostCheck" });

/** Response of prepare: a check per account. */
export const PostPrepared = PostAccepted.extend({
  checks: z.array(Check),
  plan_hash: z.string().describe("Send it with the commit, which is then rejected if the draft has changed."),
});

/** Response of update; for drafts with new checks and plan hash. */
export const PostUpdated = PostAccepted.extend({
  checks: z.array(Check).optional().describe("Drafts only."),
  plan_hash: z.string().optional().describe("Drafts only: hash of the current plan."),
});

export const PostRetried = z.object({
  retried: z.int().describe("Number of posts that were queued again."),
  ids: z.array(Id),
  failed: z.array(Id).describe("Posts that were not queued; `errors` has the reasons."),
  errors: z.record(Id, z.string()),
  warnings: z
    .array(z.object({ post_id: Id, account_id: Id, code: z.string(), message: z.string() }))
    .describe("Deliveries whose outcome is unknown: they are checked with the network and not sent again."),
});

export const PostDeleted = z.object({
  deletedIds: z.array(Id),
  blockedStatuses: z.array(z.object({ id: Id, status: Status })).describe("Already published, or being published."),
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
      pending: Count.describe("includes retry"),
      scheduled: Count,
      posted: Count,
      partial: Count,
      failed: Count,
    }),
  }),
  posts: z.array(Post),
});

const LISTABLE = ["draft", "pending", "scheduled", "posted", "failed", "partial", "retry"] as const;

/** Unknown keys are ignored; a limit out of range is clamped. */
export const PostQuery = z.object({
  status: z.enum(LISTABLE).optional(),
  limit: z
    .unknown()
    .optional()
    .transform((text) => clampLimit(typeof text === "string" ? text : ""))
    .meta({ type: "number", description: "Default: 20. Clamped to 1 to 100." }),
  since: BoundInput.optional(),
  until: BoundInput.optional(),
});

function clampLimit(text: string): number {
  const wanted = text.trim() === "" ? Number.NaN : Number(text);
  return Number.isNaN(wanted) ? 20 : Math.min(100, Math.max(1, Math.trunc(wanted)));
}
