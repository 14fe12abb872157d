// What a post says beyond its caption and media in a request: content of single accounts, thread, first comment, link card.
import stringify from "safe-stable-stringify";
import * as z from "zod";
import { type AccountOverride, listMediaUrls, type ThreadPart } from "../shared/post-content.ts";
import type { PostMedia as StoredMedia } from "../shared/post-media.ts";
import { cleanLine, cleanText } from "../shared/post-text.ts";
import { Id, WebUrl } from "./common.ts";
import { PostMedia } from "./post-media.ts";

/** The longest text of any network; each account has its own limit. */
const MAX_TEXT = 63_206;

export const Caption = z.string().overwrite(cleanText).min(1, "Must not be empty.").max(MAX_TEXT);

export const Thread = z
  .array(
    z
      .strictObject({ caption: Caption, media: PostMedia.nullish() })
      .transform(({ caption, media = null }): ThreadPart => ({ caption, media })),
  )
  .min(1, "Must have at least one part; null is no thread.")
  .max(24, "Must have at most 24 parts below the post.");

export const PostLink = z
  .strictObject({
    url: WebUrl,
    title: z.string().overwrite(cleanLine).min(1).max(300).optional(),
    description: z.string().overwrite(cleanText).min(1).max(1_000).optional(),
    image_url: WebUrl.optional(),
  })
  .meta({ id: "PostLink" });

const PostAccount = z
  .strictObject({
    id: Id,
    caption: Caption.optional(),
    media: PostMedia.nullish(),
    first_comment: Caption.nullish(),
  })
  .meta({ id: "PostAccount" });

/** The accounts in the caller's order, repeats included, and what single ones have of their own. */
export const PostAccounts = z
  .array(PostAccount)
  .min(1, "Send at least one account.")
  .max(10, "Must have at most 10 accounts.")
  .superRefine((accounts, context) => {
    const seen = new Map<string, string | undefined>();
    for (const [at, account] of accounts.entries()) {
      const own = stringify(account);
      if (seen.has(account.id) && seen.get(account.id) !== own) {
        const message = "Is listed before with other fields. List an account once, with all that it has of its own.";
        context.addIssue({ code: "custom", path: [at], message, params: { code: "duplicate_account" } });
      }
      seen.set(account.id, own);
    }
  })
  .transform((accounts) => {
    const byId = new Map(accounts.map(({ id, ...own }) => [id, own]));
    const overrides = [...byId].flatMap(([id, own]): AccountOverride[] =>
      Object.values(own).some((value) => value !== undefined) ? [{ account_id: id, ...own } as AccountOverride] : [],
    );
    return { accounts: accounts.map(({ id }) => ({ id })), overrides };
  });

/** Each may be fetched before the answer. */
const MAX_URLS = 100;

interface Body {
  media?: StoredMedia | null | undefined;
  accounts?: z.output<typeof PostAccounts> | undefined;
  thread?: ThreadPart[] | null | undefined;
}

export function rejectTooManyUrls({ media, accounts, thread }: Body, context: z.RefinementCtx): void {
  const found = listMediaUrls({ media, overrides: accounts?.overrides, thread }).length;
  if (found <= MAX_URLS) return;
  const message = `The post names ${found} different media URLs, but at most ${MAX_URLS} are allowed in all.`;
  const path = [thread ? "thread" : "accounts"];
  context.addIssue({ code: "custom", path, message, params: { code: "too_big" } });
}
