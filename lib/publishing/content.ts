// The part of a post that one account publishes.
import { getCapabilities } from "../platforms/capabilities.ts";
import type { Content, Cover, Media, MediaFile } from "../platforms/platform.ts";
import type { Capabilities } from "../platforms/rules.ts";
import type { PostContent, PostDraft } from "../schemas/post-body.ts";
import type { Platform } from "../shared/platforms.ts";
import type { AccountOverride } from "../shared/post-content.ts";
import type { MediaCover, MediaHints, PostMedia } from "../shared/post-media.ts";
import { type ReferencedAccount, type References, toHintedFile } from "./load-references.ts";

export interface AccountPost {
  account: ReferencedAccount;
  /** The request names the account here: `accounts.1`. */
  path: string;
  /** What the account has instead of the post's own content. */
  override: AccountOverride | null;
  content: Content;
  capabilities: Capabilities;
}

/** Returns the posts of each account that the key can see, in the caller's order. */
export function selectAccountPosts(draft: PostDraft, { accounts, files }: References): AccountPost[] {
  return [...accounts.values()].map((account) => ({
    account,
    path: `accounts.${draft.accounts.findIndex(({ id }) => id === account.id)}`,
    override: findOverride(draft, account.id),
    content: selectContent(draft, account, (url) => files.get(url)),
    capabilities: getCapabilities(account.platform, account.type, account.grantedScopes),
  }));
}

type FindFile = (url: string) => MediaFile | undefined;

function findOverride({ overrides }: Pick<PostContent, "overrides">, accountId: string): AccountOverride | null {
  return overrides.find(({ account_id }) => account_id === accountId) ?? null;
}

/** The media that an account publishes with the post itself. */
function selectMedia(post: Pick<PostContent, "media" | "overrides">, accountId: string): PostMedia | null {
  const own = findOverride(post, accountId)?.media;
  return own === undefined ? post.media : own;
}

/** `findFile` returns the facts that are known about a URL; for any other URL those that the caller stated are used. */
export function selectContent(
  post: PostContent,
  { id, platform }: { id: string; platform: Platform },
  findFile: FindFile,
): Content {
  const { caption, musicUrl, link, thread, firstComment } = post;
  const own = findOverride(post, id);
  const media = selectMedia(post, id);
  const settings = listSettings(post).find((found) => found.platform === platform)?.settings ?? {};
  return {
    caption: own?.caption ?? caption,
    media: media && toMedia(media, findFile),
    musicUrl,
    settings,
    cover: media && toCover(media, findFile),
    link,
    thread:
      thread?.map((part) => ({ caption: part.caption, media: part.media && toMedia(part.media, findFile) })) ?? null,
    firstComment: own?.first_comment === undefined ? firstComment : own.first_comment,
  };
}

function toMedia(media: PostMedia, findFile: FindFile): Media {
  const toFile = (url: string, hints: MediaHints | null, altText: string | null | undefined): MediaFile => ({
    ...(findFile(url) ?? toHintedFile(url, hints)),
    ...(altText ? { altText } : {}),
  });
  if (media.type === "video") return { type: "video", video: toFile(media.url, media, media.alt_text) };
  if (media.type === "slideshow") {
    return { type: "slideshow", images: media.urls.map((url, at) => toFile(url, media, media.alt_texts?.[at])) };
  }
  const items = media.items.map(({ type, url, alt_text }) => ({ ...toFile(url, null, alt_text), kind: type }));
  return { type: "carousel", items };
}

function toCover({ cover_url, cover_timestamp_ms, cover_index }: MediaCover, findFile: FindFile): Cover | null {
  if (cover_url !== undefined) return { image: findFile(cover_url) ?? toHintedFile(cover_url, null) };
  if (cover_timestamp_ms !== undefined) return { timestampMs: cover_timestamp_ms };
  return cover_index === undefined ? null : { index: cover_index };
}

/** The settings of each network that the post has any for, and where a request has them. */
export function listSettings({ tiktok, pinterest, settings }: PostContent) {
  const own = { tiktok, pinterest };
  const listed: { path: string; platform: Platform; settings: Record<string, unknown> }[] = [];
  for (const platform of ["tiktok", "pinterest"] as const) {
    const given = own[platform];
    if (given) listed.push({ path: platform, platform, settings: given });
  }
  for (const [provider, given] of Object.entries(settings)) {
    const platform = provider === "x" ? "twitter" : (provider as Platform);
    listed.push({ path: `settings.${provider}`, platform, settings: given });
  }
  return listed;
}
