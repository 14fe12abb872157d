// Posts: what a caller sends, and what every read answers.
import * as z from "zod";
import { violationsOf as tiktokViolations } from "../platforms/tiktok/violations.ts";
import { BoundIn, Id, Instant, InstantIn, WebUrl } from "./common.ts";
import { PinterestSettings, PostSettings, PostSettingsPatch, TikTokSettings } from "./post-settings.ts";

const hints = {
  duration_seconds: z.number().positive().optional(),
  bytes: z.int().positive().optional(),
  width: z.int().positive().optional(),
  height: z.int().positive().optional(),
  mime_type: z.string().max(100).optional(),
};
const otherNames = {
  duration_sec: hints.duration_seconds,
  duration: hints.duration_seconds,
  size: hints.bytes,
  mime: hints.mime_type,
};
const allHints = { ...hints, ...otherNames };
const metadata = z.strictObject(allHints).optional();

/** Hints never override what a verified file says. */
export const PostMedia = z
  .discriminatedUnion("type", [
    z.strictObject({ type: z.literal("video"), url: WebUrl, ...allHints, metadata }),
    z.strictObject({ type: z.literal("slideshow"), urls: z.array(WebUrl).min(1).max(35), ...allHints, metadata }),
  ])
  .meta({
    id: "PostMedia",
    description:
      "A video, or a slideshow of 1 to 35 image URLs: a single image is a slideshow of one. The other fields are optional hints for URLs that are not verified files; `duration`, `duration_sec`, `size` and `mime` are other names of theirs.",
  });

/** The hints of a media object under their first names, wherever the caller put them. */
export function hintsOf(media: z.output<typeof PostMedia>): { [name in keyof typeof hints]?: number | string } {
  const given = { ...media.metadata, ...media };
  return {
    duration_seconds: given.duration_seconds ?? given.duration_sec ?? given.duration,
    bytes: given.bytes ?? given.size,
    width: given.width,
    height: given.height,
    mime_type: given.mime_type ?? given.mime,
  };
}

const MusicUrl = WebUrl.refine((url) => /(^|\.)tiktok\.com$/.test(URL.canParse(url) ? new URL(url).hostname : ""), {
  message: "Must be a URL on tiktok.com.",
});

/** The fields of a post before the rules that span several of them. */
const postFields = {
  caption: z.string().min(1, "Must not be empty.").max(63_206),
  accounts: z
    .array(z.strictObject({ id: Id }))
    .min(1, "Name at least one account.")
    .max(10, "At most 10 accounts a post."),
  media: PostMedia.nullish(),
  scheduled_at: InstantIn.optional(),
  external_id: z.string().min(1).max(128).optional(),
  music_url: MusicUrl.nullish(),
  tiktok: TikTokSettings.optional(),
  pinterest: PinterestSettings.optional(),
  settings: PostSettings.optional(),
};

/** Any subset of a post; null clears (of `settings`, one provider at a time), and a `scheduled_at` of null publishes at once. */
export const PostPatch = z
  .strictObject({
    caption: postFields.caption.optional(),
    accounts: postFields.accounts.optional(),
    media: postFields.media,
    scheduled_at: InstantIn.nullish(),
    external_id: postFields.external_id,
    music_url: postFields.music_url,
    tiktok: TikTokSettings.nullish(),
    pinterest: PinterestSettings.nullish(),
    settings: PostSettingsPatch.optional().describe("A provider keeps what it is not given anew; null takes it out"),
  })
  .refine((patch) => Object.keys(patch).length > 0, "Name at least one field to change.")
  .meta({ id: "PostPatch" });
export type PostPatch = z.output<typeof PostPatch>;

export const PostCommit = z
  .strictObject({
    scheduled_at: InstantIn.nullish().describe("Replaces the draft's own time; null publishes at once."),
    plan_hash: z.string().max(200).optional().describe("Of the prepare; refused when the plan has changed since."),
  })
  .meta({ id: "PostCommit" });

const PostIds = z.array(Id).min(1, "Name at least one post.");

export const PostRetry = z
  .strictObject({ post_ids: PostIds.max(20), account_ids: z.array(Id).min(1).max(10).optional() })
  .meta({ id: "PostRetry" });

export const PostRetried = z.object({
  retried: z.int().describe("How many posts went back into the queue."),
  ids: z.array(Id),
  failed: z.array(Id).describe("Posts that did not; `errors` says why."),
  errors: z.record(Id, z.string()),
});

export const PostDelete = z
  .strictObject({ post_ids: PostIds.optional(), postIds: PostIds.optional() })
  .refine(({ post_ids, postIds }) => (post_ids === undefined) !== (postIds === undefined), {
    path: ["post_ids"],
    message: "Send post_ids (or postIds), once.",
  })
  .meta({ id: "PostDelete" });

type Crossed = { media?: z.output<typeof PostMedia> | null; tiktok?: z.output<typeof TikTokSettings> | null };

/** Rules that need two fields at once. */
function crossFieldRules({ media, tiktok }: Crossed, context: z.RefinementCtx): void {
  for (const { path, message, code } of tiktokViolations({ media: media ?? null, settings: tiktok ?? {} })) {
    context.addIssue({ code: "custom", path: path.split("."), message, params: { code } });
  }
}

export const PostCreate = z.strictObject(postFields).superRefine(crossFieldRules).meta({ id: "PostCreate" });
export type PostCreate = z.output<typeof PostCreate>;

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
