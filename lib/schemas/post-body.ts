// What callers send of a post: whole, as a change, or by its id.
import * as z from "zod";
import { violationsOf as tiktokViolations } from "../platforms/tiktok/violations.ts";
import { Id, InstantIn, WebUrl } from "./common.ts";
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
