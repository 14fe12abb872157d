// Content of a draft that the composer has no field for, in the form of a request: a save sends it unchanged.
import type * as z from "zod";
import type { PostContent, PostCreate } from "../../../lib/schemas/post-body.ts";
import { getLinkCard, type PostLink } from "../../../lib/shared/post-content.ts";
import { toRequestMedia } from "../../../lib/shared/post-media.ts";

export type PostBody = z.input<typeof PostCreate>;
export type RequestMedia = NonNullable<PostBody["media"]>;

/** Absent fields say nothing; a link of null is no card. */
export type Extras = Pick<PostBody, "first_comment" | "thread" | "link">;
export type KeptFields = Extras & Pick<PostBody, "music_url">;
export type OwnContent = Omit<PostBody["accounts"][number], "id">;

export interface KeptContent {
  /** TikTok's own accounts have a draft of their own. */
  fields: { tiktok: KeptFields; others: KeptFields };
  /** The own content of single accounts, by their ids. */
  accounts: Record<string, OwnContent>;
  /** The media that the draft was opened with. */
  media: RequestMedia | null;
}

export const NOTHING_KEPT: KeptContent = { fields: { tiktok: {}, others: {} }, accounts: {}, media: null };

export function toKeptFields(post: Pick<PostContent, "firstComment" | "thread" | "link" | "musicUrl">): KeptFields {
  const { firstComment, thread, musicUrl } = post;
  return {
    ...(firstComment === null ? {} : { first_comment: firstComment }),
    ...(thread === null
      ? {}
      : { thread: thread.map(({ caption, media }) => ({ caption, media: media && toRequestMedia(media) })) }),
    ...toLinkField(post.link),
    ...(musicUrl === null ? {} : { music_url: musicUrl }),
  };
}

const toLinkField = (link: PostLink | null): Pick<KeptFields, "link"> => (link ? { link: getLinkCard(link) } : {});

export function listOwnContents(posts: Pick<PostContent, "overrides">[]): [id: string, own: OwnContent][] {
  return posts.flatMap(({ overrides }) =>
    overrides.map(({ account_id: id, media, ...own }): [string, OwnContent] => [
      id,
      { ...own, ...(media === undefined ? {} : { media: media && toRequestMedia(media) }) },
    ]),
  );
}
