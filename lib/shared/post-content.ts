// The content of a post beyond its caption and media, as its row stores it, and the calls that publish it.
import { listMediaFiles, type PlacedFile, type PostMedia } from "./post-media.ts";

/** What one account publishes instead of the post's own; absent fields are the post's. */
export interface AccountOverride {
  account_id: string;
  caption?: string;
  /** Null is text only. */
  media?: PostMedia | null;
  /** Null is none. */
  first_comment?: string | null;
}

/** A part of a thread: a reply to the one before. */
export interface ThreadPart {
  caption: string;
  media: PostMedia | null;
}

/** A link that is shown as a card; fields that are absent are read from the page. */
export interface LinkCard {
  url: string;
  title?: string | undefined;
  description?: string | undefined;
  image_url?: string | undefined;
}

/** `{ url: null }` is the caller's word that the post gets no card. */
export type PostLink = LinkCard | { url: null };

export const NO_LINK_CARD: PostLink = { url: null };

/** The link that the caller gave; null for none, and for no card. */
export function getLinkCard(link: PostLink | null): LinkCard | null {
  return link && link.url !== null ? link : null;
}

/** The media of a post wherever a request names them. */
export interface MediaOfPost {
  media?: PostMedia | null | undefined;
  overrides?: readonly AccountOverride[] | undefined;
  thread?: readonly ThreadPart[] | null | undefined;
}

/** The media of a post: its own, those of single accounts, and those of its thread. */
export function listPostMedia({ media, overrides = [], thread }: MediaOfPost): PostMedia[] {
  return [media, ...overrides.map((own) => own.media), ...(thread ?? []).map((part) => part.media)].flatMap(
    (one) => one ?? [],
  );
}

/** `accounts` are those of the request, so that a file of one account has the path that the caller knows. */
export function listPostFiles({
  accounts,
  ...post
}: MediaOfPost & { accounts: readonly { id: string }[] }): PlacedFile[] {
  const { media, overrides = [], thread } = post;
  return [
    ...listMediaFiles(media),
    ...overrides.flatMap((own) =>
      listMediaFiles(own.media, `accounts.${accounts.findIndex(({ id }) => id === own.account_id)}.media`),
    ),
    ...(thread ?? []).flatMap((part, at) => listMediaFiles(part.media, `thread.${at}.media`)),
  ];
}

/** The different URLs among the media of a post. */
export function listMediaUrls(post: MediaOfPost): string[] {
  const urls = listPostMedia(post).flatMap((media) => listMediaFiles(media).map(({ url }) => url));
  return [...new Set(urls)];
}

/** The addresses that a check of the post fetches, as far as its body names them: its media, and the page of its card. */
export function listFetchedUrls(post: MediaOfPost & { link?: PostLink | null | undefined }): string[] {
  const card = getLinkCard(post.link ?? null);
  return [...listMediaUrls(post), ...(card ? [card.url] : [])];
}

/** A call of a delivery after the one that publishes the post, and what became of it. */
export interface DeliveryPart {
  kind: "reply" | "comment";
  status: "waiting" | "posted" | "failed";
  /** The network's id; null until it is known. */
  id: string | null;
  url: string | null;
  /** Why it failed, and what to do. */
  error: string | null;
}

/** The calls that follow the post of an account, in their order; null without any. */
export function planParts(
  {
    firstComment,
    thread,
    overrides,
  }: { firstComment: string | null; thread: readonly ThreadPart[] | null; overrides: readonly AccountOverride[] },
  accountId: string,
): DeliveryPart[] | null {
  const own = overrides.find(({ account_id }) => account_id === accountId);
  const comment = own?.first_comment === undefined ? firstComment : own.first_comment;
  const plan = (kind: DeliveryPart["kind"]): DeliveryPart => ({
    kind,
    status: "waiting",
    id: null,
    url: null,
    error: null,
  });
  const parts = [...(thread ?? []).map(() => plan("reply")), ...(comment === null ? [] : [plan("comment")])];
  return parts.length > 0 ? parts : null;
}
