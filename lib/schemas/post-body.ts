// Request bodies of the post endpoints.
import * as z from "zod";
import type { PostMedia as StoredMedia } from "../shared/post-media.ts";
import { cleanText } from "../shared/post-text.ts";
import { Id, InstantInput, WebUrl } from "./common.ts";
import { MediaHints, mediaHints, sizeHints } from "./media-hints.ts";
import { PinterestSettings, PostSettings, PostSettingsPatch, TikTokSettings } from "./post-settings.ts";
import { findTikTokConflicts } from "./tiktok-conflicts.ts";

const SentMedia = z.discriminatedUnion(
  "type",
  [
    z.strictObject({ type: z.literal("video"), url: WebUrl, ...mediaHints, ...sizeHints, metadata: MediaHints }),
    z.strictObject({
      type: z.literal("slideshow"),
      urls: z.array(WebUrl).min(1).max(35),
      ...mediaHints,
      metadata: MediaHints,
    }),
  ],
  { error: "Must be video or slideshow; a single image is a slideshow with one URL." },
);

const PostMedia = SentMedia.transform(normalizeMedia).meta({
  id: "PostMedia",
  description:
    "A video, or a slideshow of 1 to 35 image URLs: a single image is a slideshow of one. The other fields are optional hints for URLs that are not verified files; `duration`, `duration_sec`, `size` and `mime` are aliases.",
});

/** Moves hints out of `metadata` and gives each its canonical name, so that equal media are stored as equal objects. */
function normalizeMedia(media: z.output<typeof SentMedia>): StoredMedia {
  const sent = { ...media.metadata, ...media };
  return {
    ...(media.type === "video" ? { type: media.type, url: media.url } : { type: media.type, urls: media.urls }),
    ...omitUndefined({
      duration_seconds: sent.duration_seconds ?? sent.duration_sec ?? sent.duration,
      bytes: sent.bytes ?? sent.size,
      width: sent.width,
      height: sent.height,
      mime_type: sent.mime_type ?? sent.mime,
    }),
  };
}

function omitUndefined<Fields extends object>(fields: Fields): Fields {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as Fields;
}

const MusicUrl = WebUrl.refine((url) => /(^|\.)tiktok\.com$/.test(URL.canParse(url) ? new URL(url).hostname : ""), {
  message: "Must be a URL on tiktok.com.",
});

type Settings = Record<string, unknown>;

/** The fields of a post that networks use; its row has a column for each. */
export interface PostContent {
  caption: string;
  media: StoredMedia | null;
  musicUrl: string | null;
  tiktok: Settings | null;
  pinterest: Settings | null;
  /** By the canonical name of the provider. */
  settings: Record<string, Settings>;
}

/** A parsed post, sent or stored. Ids are in lower case, hints and providers have their canonical names. */
export interface PostDraft extends PostContent {
  /** In the caller's order, repeats included, because problems name the position of an account. */
  accounts: { id: string }[];
  scheduledAt: Date | null;
  externalId: string | null;
}

/** The fields to change; `settings` are merged per provider, and null removes one. */
export type PostPatch = Partial<Omit<PostDraft, "settings">> & {
  settings?: Record<string, Settings | null>;
  /** The change is made only if the post was last changed then. */
  expectedUpdatedAt?: Date;
  /** A scheduled post becomes a draft, and keeps its time for a commit. */
  becomesDraft?: boolean;
};

/** The fields of a body without the rules across several fields. */
const fields = {
  caption: z.string().overwrite(cleanText).min(1, "Must not be empty.").max(63_206),
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

export const PostCreate = z
  .strictObject(fields)
  .superRefine(({ media, tiktok }, context) => {
    for (const { path, message, code } of findTikTokConflicts({ media: media ?? null, settings: tiktok ?? {} })) {
      context.addIssue({ code: "custom", path: path.split("."), message, params: { code } });
    }
  })
  .transform(
    ({ caption, accounts, ...body }): PostDraft => ({
      caption,
      accounts,
      media: body.media ?? null,
      musicUrl: body.music_url ?? null,
      tiktok: body.tiktok ?? null,
      pinterest: body.pinterest ?? null,
      settings: body.settings ?? {},
      scheduledAt: body.scheduled_at ?? null,
      externalId: body.external_id ?? null,
    }),
  )
  .meta({ id: "PostCreate" });

/** Any subset of the fields; null clears a field or a provider under `settings`, `scheduled_at: null` publishes now. */
export const PostPatch = z
  .strictObject({
    ...fields,
    caption: fields.caption.optional(),
    accounts: fields.accounts.optional(),
    scheduled_at: InstantInput.nullish(),
    tiktok: TikTokSettings.nullish(),
    pinterest: PinterestSettings.nullish(),
    settings: PostSettingsPatch.optional(),
    expected_updated_at: InstantInput.optional(),
    draft: z.literal(true).optional(),
  })
  .refine(({ expected_updated_at: _, ...patch }) => Object.keys(patch).length > 0, "Send at least one field to change.")
  .transform(
    ({ music_url, scheduled_at, external_id, expected_updated_at, draft, ...same }): PostPatch =>
      omitUndefined({
        ...same,
        musicUrl: music_url,
        scheduledAt: scheduled_at,
        externalId: external_id,
        expectedUpdatedAt: expected_updated_at,
        becomesDraft: draft,
      }),
  )
  .meta({ id: "PostPatch" });

/** A new time is a patch of the draft. */
export const PostCommit = z
  .strictObject({
    scheduled_at: InstantInput.nullish(),
    plan_hash: z.string().max(200).optional(),
  })
  .transform(({ scheduled_at, plan_hash }): { patch: PostPatch; planHash: string | undefined } => ({
    patch: omitUndefined({ scheduledAt: scheduled_at }),
    planHash: plan_hash,
  }))
  .meta({ id: "PostCommit" });

/** Repeated ids are dropped after their number was checked. */
const postIds = (most: number) =>
  z
    .array(Id)
    .min(1, "Send at least one post id.")
    .max(most)
    .transform((ids) => [...new Set(ids)]);

export const PostRetry = z
  .strictObject({
    post_ids: postIds(20),
    account_ids: z.array(Id).min(1).max(10).optional(),
    resend: z.boolean().optional(),
  })
  .meta({ id: "PostRetry" });
export type PostRetry = z.output<typeof PostRetry>;

export const PostDelete = z
  .strictObject({ post_ids: postIds(200).optional(), postIds: postIds(200).optional() })
  .refine(({ post_ids, postIds }) => (post_ids === undefined) !== (postIds === undefined), {
    path: ["post_ids"],
    message: "Send post_ids or postIds, but not both.",
  })
  .transform(({ post_ids, postIds }) => ({ postIds: post_ids ?? postIds ?? [] }))
  .meta({ id: "PostDelete" });
