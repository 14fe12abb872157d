// Request bodies of the post endpoints.
import * as z from "zod";
import { Id, InstantInput, WebUrl } from "./common.ts";
import { PinterestSettings, PostSettings, PostSettingsPatch, TikTokSettings } from "./post-settings.ts";
import { findTikTokConflicts } from "./tiktok-conflicts.ts";

const hints = {
  duration_seconds: z.number().positive().optional(),
  bytes: z.int().positive().optional(),
  width: z.int().positive().optional(),
  height: z.int().positive().optional(),
  mime_type: z.string().max(100).optional(),
};
const hintAliases = {
  duration_sec: hints.duration_seconds,
  duration: hints.duration_seconds,
  size: hints.bytes,
  mime: hints.mime_type,
};
const allHints = { ...hints, ...hintAliases };
const metadata = z.strictObject(allHints).optional();

/** Hints never override the facts of a verified file. */
export const PostMedia = z
  .discriminatedUnion(
    "type",
    [
      z.strictObject({ type: z.literal("video"), url: WebUrl, ...allHints, metadata }),
      z.strictObject({ type: z.literal("slideshow"), urls: z.array(WebUrl).min(1).max(35), ...allHints, metadata }),
    ],
    { error: "Must be video or slideshow; a single image is a slideshow with one URL." },
  )
  .meta({
    id: "PostMedia",
    description:
      "A video, or a slideshow of 1 to 35 image URLs: a single image is a slideshow of one. The other fields are optional hints for URLs that are not verified files; `duration`, `duration_sec`, `size` and `mime` are aliases.",
  });

/** Returns the hints of a media object under their canonical names, from `metadata` or the top level. */
export function normalizeHints(media: z.output<typeof PostMedia>): { [name in keyof typeof hints]?: number | string } {
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

/** The fields of a post without the rules across several fields. */
const postFields = {
  caption: z.string().min(1, "Must not be empty.").max(63_206),
  accounts: z
    .array(z.strictObject({ id: Id }))
    .min(1, "Send at least one account.")
    .max(10, "Must have at most 10 accounts."),
  media: PostMedia.nullish(),
  scheduled_at: InstantInput.optional(),
  external_id: z.string().min(1).max(128).optional(),
  music_url: MusicUrl.nullish(),
  tiktok: TikTokSettings.optional(),
  pinterest: PinterestSettings.optional(),
  settings: PostSettings.optional(),
};

/** Any subset of the fields; null clears a field or a provider under `settings`, `scheduled_at: null` publishes now. */
export const PostPatch = z
  .strictObject({
    caption: postFields.caption.optional(),
    accounts: postFields.accounts.optional(),
    media: postFields.media,
    scheduled_at: InstantInput.nullish(),
    external_id: postFields.external_id,
    music_url: postFields.music_url,
    tiktok: TikTokSettings.nullish(),
    pinterest: PinterestSettings.nullish(),
    settings: PostSettingsPatch.optional(),
  })
  .refine((patch) => Object.keys(patch).length > 0, "Send at least one field to change.")
  .meta({ id: "PostPatch" });
export type PostPatch = z.output<typeof PostPatch>;

export const PostCommit = z
  .strictObject({
    scheduled_at: InstantInput.nullish(),
    plan_hash: z.string().max(200).optional(),
  })
  .meta({ id: "PostCommit" });

const PostIds = z.array(Id).min(1, "Send at least one post id.");

export const PostRetry = z
  .strictObject({
    post_ids: PostIds.max(20),
    account_ids: z.array(Id).min(1).max(10).optional(),
    resend: z.boolean().optional(),
  })
  .meta({ id: "PostRetry" });

export const PostDelete = z
  .strictObject({ post_ids: PostIds.max(200).optional(), postIds: PostIds.max(200).optional() })
  .refine(({ post_ids, postIds }) => (post_ids === undefined) !== (postIds === undefined), {
    path: ["post_ids"],
    message: "Send post_ids or postIds, but not both.",
  })
  .meta({ id: "PostDelete" });

type CrossFieldInput = { media?: z.output<typeof PostMedia> | null; tiktok?: z.output<typeof TikTokSettings> | null };

/** Validates rules across several fields. */
function validateCrossFields({ media, tiktok }: CrossFieldInput, context: z.RefinementCtx): void {
  for (const { path, message, code } of findTikTokConflicts({ media: media ?? null, settings: tiktok ?? {} })) {
    context.addIssue({ code: "custom", path: path.split("."), message, params: { code } });
  }
}

export const PostCreate = z.strictObject(postFields).superRefine(validateCrossFields).meta({ id: "PostCreate" });
export type PostCreate = z.output<typeof PostCreate>;
