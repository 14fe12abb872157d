// Request bodies of the post endpoints.
import * as z from "zod";
import { type AccountOverride, NO_LINK_CARD, type PostLink, type ThreadPart } from "../shared/post-content.ts";
import type { PostMedia as StoredMedia } from "../shared/post-media.ts";
import { cleanText } from "../shared/post-text.ts";
import { AT_ONCE, type PostTime } from "../shared/schedule.ts";
import { Id, InstantInput, WebUrl } from "./common.ts";
import { findContentConflicts } from "./post-conflicts.ts";
import { Caption, PostLink as Link, PostAccounts, rejectTooManyUrls, Thread } from "./post-content.ts";
import { PostMedia } from "./post-media.ts";
import { PinterestSettings, PostSettings, PostSettingsPatch, TikTokSettings } from "./post-settings.ts";
import { TimeInput } from "./schedule.ts";
import { findTikTokConflicts } from "./tiktok-conflicts.ts";

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
  /** Single accounts publish this instead. */
  overrides: AccountOverride[];
  firstComment: string | null;
  /** The replies below the post, in their order. */
  thread: ThreadPart[] | null;
  /** Null when the caller said nothing about a card. */
  link: PostLink | null;
}

/** A parsed post, sent or stored. Ids are in lower case, hints and providers have their canonical names. */
export interface PostDraft extends PostContent, PostTime {
  /** In the caller's order, repeats included, because problems name the position of an account. */
  accounts: { id: string }[];
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
  caption: Caption,
  accounts: PostAccounts,
  media: PostMedia.nullish(),
  first_comment: Caption.nullish(),
  thread: Thread.nullish(),
  link: Link.nullish(),
  scheduled_at: TimeInput.optional(),
  external_id: z.string().min(1).max(128).optional(),
  music_url: MusicUrl.nullish(),
  tiktok: TikTokSettings.optional(),
  pinterest: PinterestSettings.optional(),
  settings: PostSettings.optional(),
};

/** A link of null is the word that there is no card, an absent one says nothing. */
const toLink = (link: z.output<typeof Link> | null | undefined) => (link === null ? NO_LINK_CARD : link);

export const PostCreate = z
  .strictObject(fields)
  .superRefine((body, context) => {
    const { media = null, tiktok = null, settings = {}, link = null } = body;
    const conflicts = [
      ...findTikTokConflicts({ media, settings: tiktok ?? {} }),
      ...findContentConflicts({ media, tiktok, settings, link }),
    ];
    for (const { path, message, code } of conflicts) {
      context.addIssue({ code: "custom", path: path.split("."), message, params: { code } });
    }
    rejectTooManyUrls(body, context);
  })
  .transform(
    ({ caption, accounts, ...body }): PostDraft => ({
      caption,
      ...accounts,
      media: body.media ?? null,
      firstComment: body.first_comment ?? null,
      thread: body.thread ?? null,
      link: toLink(body.link) ?? null,
      musicUrl: body.music_url ?? null,
      tiktok: body.tiktok ?? null,
      pinterest: body.pinterest ?? null,
      settings: body.settings ?? {},
      ...(body.scheduled_at ?? AT_ONCE),
      externalId: body.external_id ?? null,
    }),
  )
  .meta({ id: "PostCreate" });

/** Null publishes at once; without the field the time stays. */
const toTimePatch = (given: PostTime | null | undefined): Partial<PostTime> =>
  given === undefined ? {} : (given ?? AT_ONCE);

/**
 * Any subset of the fields; null clears a field or a provider under `settings`, `scheduled_at: null` publishes now, and
 * `link: null` is no card. `accounts` replaces the list with all that its entries have: an entry of an id alone publishes the
 * post's own content. Without `accounts` each account keeps what it has of its own.
 */
export const PostPatch = z
  .strictObject({
    ...fields,
    caption: fields.caption.optional(),
    accounts: fields.accounts.optional(),
    scheduled_at: TimeInput.nullish(),
    tiktok: TikTokSettings.nullish(),
    pinterest: PinterestSettings.nullish(),
    settings: PostSettingsPatch.optional(),
    expected_updated_at: InstantInput.optional(),
    draft: z.literal(true).optional(),
  })
  .refine(({ expected_updated_at: _, ...patch }) => Object.keys(patch).length > 0, "Send at least one field to change.")
  .superRefine(rejectTooManyUrls)
  .transform(({ accounts, music_url, scheduled_at, external_id, expected_updated_at, draft, ...body }): PostPatch => {
    const { first_comment, link, ...same } = body;
    return omitUndefined({
      ...same,
      ...accounts,
      firstComment: first_comment,
      link: toLink(link),
      musicUrl: music_url,
      ...toTimePatch(scheduled_at),
      externalId: external_id,
      expectedUpdatedAt: expected_updated_at,
      becomesDraft: draft,
    });
  })
  .meta({ id: "PostPatch" });

/** A new time is a patch of the draft. */
export const PostCommit = z
  .strictObject({
    scheduled_at: TimeInput.nullish(),
    plan_hash: z.string().max(200).optional(),
  })
  .transform(({ scheduled_at, plan_hash }): { patch: PostPatch; planHash: string | undefined } => ({
    patch: toTimePatch(scheduled_at),
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

/** Accounts of the post; all of them without it. A repeated id counts once. */
const accountIds = z
  .array(Id)
  .min(1, "Send at least one account id, or omit account_ids for all accounts of the post.")
  .max(10)
  .transform((ids) => [...new Set(ids)])
  .optional();

export const PostUnpublish = z
  .strictObject({ account_ids: accountIds })
  .transform(({ account_ids }) => ({ accountIds: account_ids ?? null }))
  .meta({ id: "PostUnpublish" });

export const PublishedEditBody = z
  .strictObject({
    caption: Caption.optional(),
    title: z.string().overwrite(cleanText).trim().min(1, "Must not be empty.").max(100).optional(),
    account_ids: accountIds,
  })
  .refine(({ caption, title }) => caption !== undefined || title !== undefined, {
    path: ["caption"],
    message: "Send caption, title or both.",
  })
  .transform(({ account_ids, ...edit }) => ({ ...edit, accountIds: account_ids ?? null }))
  .meta({ id: "PublishedEdit" });
export type PublishedEditBody = z.output<typeof PublishedEditBody>;

export const PostDelete = z
  .strictObject({ post_ids: postIds(200).optional(), postIds: postIds(200).optional() })
  .refine(({ post_ids, postIds }) => (post_ids === undefined) !== (postIds === undefined), {
    path: ["post_ids"],
    message: "Send post_ids or postIds, but not both.",
  })
  .transform(({ post_ids, postIds }) => ({ postIds: post_ids ?? postIds ?? [] }))
  .meta({ id: "PostDelete" });
