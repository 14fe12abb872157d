// A post in responses, and list queries. Separate from what writes send and return, so that reads do not evaluate their schemas.
import * as z from "zod";
import { POST_STATUSES } from "../shared/post-status.ts";
import { BoundInput, Id, Instant } from "./common.ts";
import { cursorField, cursorPageFields, NewestFirst } from "./pagination.ts";
import { Schedule } from "./schedule.ts";

export const Status = z.enum(POST_STATUSES);

const PartState = z
  .object({
    status: z.enum(["waiting", "posted", "failed"]),
    url: z.string().nullable(),
    error_message: z.string().nullable(),
  })
  .meta({ id: "PostPartState" });

const StoredMedia = z.record(z.string(), z.unknown()).nullable();

const Override = z
  .object({
    account_id: Id,
    caption: z.string().optional(),
    media: StoredMedia.optional(),
    first_comment: z.string().nullable().optional(),
  })
  .meta({ id: "PostOverride" });

export const AccountState = z
  .object({
    account_id: Id,
    status: Status,
    published_at: Instant.nullable(),
    published_url: z.string().nullable(),
    error_code: z.string().nullable(),
    error_message: z.string().nullable(),
    warnings: z.array(z.object({ code: z.string(), message: z.string() })),
    last_attempted_at: Instant.nullable(),
    attempts: z.int(),
    next_attempt_at: Instant.nullable(),
    waiting_for: z
      .object({
        post_id: Id,
        reason: z.string(),
        until: Instant.nullable(),
        until_at_most: Instant,
      })
      .nullable(),
    overdue: z
      .object({
        since: Instant,
        cause: z.enum(["earlier_post", "retry", "processing", "service_delay"]),
        reason: z.string(),
      })
      .nullable(),
    at_risk: z
      .object({
        code: z.enum([
          "account_paused",
          "account_disconnected",
          "reconnect_before",
          "check_failed",
          "preparation_failed",
        ]),
        reason: z.string(),
      })
      .nullable(),
    first_comment: PartState.nullable(),
    parts: z.array(PartState).nullable(),
  })
  .meta({ id: "PostAccountState" });
export type AccountState = z.input<typeof AccountState>;

export const Post = z
  .object({
    id: Id,
    caption: z.string(),
    status: Status,
    scheduled_at: Instant.nullable(),
    schedule: Schedule,
    created_at: Instant,
    updated_at: Instant,
    media: StoredMedia,
    first_comment: z.string().nullable(),
    thread: z.array(z.object({ caption: z.string(), media: StoredMedia })).nullable(),
    link: z
      .object({
        url: z.string(),
        title: z.string().optional(),
        description: z.string().optional(),
        image_url: z.string().optional(),
      })
      .nullable(),
    music_url: z.string().nullable(),
    tiktok: z.record(z.string(), z.unknown()).nullable(),
    pinterest: z.record(z.string(), z.unknown()).nullable(),
    external_id: z.string().nullable(),
    metadata: z.record(z.string(), z.unknown()),
    accounts: z.object({ total: z.int(), overrides: z.array(Override), states: z.array(AccountState) }),
  })
  .meta({ id: "Post" });
export type Post = z.input<typeof Post>;

const Count = z.int();
export const PostList = z.object({
  summary: z.object({
    total: Count,
    pending: Count,
    published: Count,
    by_status: z.object({
      draft: Count,
      pending: Count,
      scheduled: Count,
      posted: Count,
      partial: Count,
      failed: Count,
    }),
  }),
  posts: z.array(Post),
  ...cursorPageFields,
});

const LISTABLE = ["draft", "pending", "scheduled", "posted", "failed", "partial", "retry"] as const;

/** Unknown keys are ignored; a limit out of range is clamped. */
export const PostQuery = z.object({
  status: z.enum(LISTABLE).optional(),
  limit: z
    .unknown()
    .optional()
    .transform((text) => clampLimit(typeof text === "string" ? text : ""))
    .meta({ type: "number" }),
  since: BoundInput.optional(),
  until: BoundInput.optional(),
  cursor: cursorField(NewestFirst).optional(),
});

function clampLimit(text: string): number {
  const wanted = text.trim() === "" ? Number.NaN : Number(text);
  return Number.isNaN(wanted) ? 20 : Math.min(100, Math.max(1, Math.trunc(wanted)));
}
