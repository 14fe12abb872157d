// The part of a post that one account publishes.
import { getCapabilities } from "../platforms/capabilities.ts";
import type { Content, MediaFile } from "../platforms/platform.ts";
import type { Capabilities } from "../platforms/rules.ts";
import type { PostContent, PostDraft } from "../schemas/post-body.ts";
import type { Platform } from "../shared/platforms.ts";
import { type ReferencedAccount, type References, toHintedFile } from "./load-references.ts";

export interface AccountPost {
  account: ReferencedAccount;
  /** The request names the account here: `accounts.1`. */
  path: string;
  content: Content;
  /** Null when publishing to the network is not available. */
  capabilities: Capabilities | null;
}

/** Returns the posts of each account that the key can see, in the caller's order. */
export function selectAccountPosts(draft: PostDraft, { accounts, files }: References): AccountPost[] {
  return [...accounts.values()].map((account) => ({
    account,
    path: `accounts.${draft.accounts.findIndex(({ id }) => id === account.id)}`,
    content: selectContent(draft, account, (url) => files.get(url)),
    capabilities: getCapabilities(account.platform, account.type),
  }));
}

/** `findFile` returns the facts that are known about a URL; for any other URL those that the caller stated are used. */
export function selectContent(
  post: PostContent,
  { platform }: { platform: Platform },
  findFile: (url: string) => MediaFile | undefined,
): Content {
  const { caption, media, musicUrl } = post;
  const toFile = (url: string) => findFile(url) ?? toHintedFile(url, media);
  return {
    caption,
    media:
      media &&
      (media.type === "video"
        ? { type: "video", video: toFile(media.url) }
        : { type: "slideshow", images: media.urls.map(toFile) }),
    musicUrl,
    settings: listSettings(post).find((own) => own.platform === platform)?.settings ?? {},
  };
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
