// Warnings about a post that is accepted.
import { drivers } from "../platforms/index.ts";
import { getReconnectBy } from "../platforms/token-lifetimes.ts";
import type { PostCreate } from "../schemas/post-body.ts";
import type { WarningCode } from "../shared/field-codes.ts";
import { PLATFORM_DETAILS } from "../shared/platforms.ts";
import type { ResolvedAccount, ResolvedReferences } from "./load-references.ts";
import { selectAccountContent } from "./preflight.ts";

export interface Warning {
  field: string;
  message: string;
  code: WarningCode;
}

export function findWarnings(post: PostCreate, resolved: ResolvedReferences): Warning[] {
  const warnings: Warning[] = [];
  const warn = (field: string, code: WarningCode, message: string) => warnings.push({ field, message, code });
  if (post.music_url) {
    warn(
      "music_url",
      "music_not_attached",
      "music_url is not sent: TikTok's API cannot attach a track. Set auto_add_music, or add the track in the TikTok app.",
    );
  }
  if (post.tiktok?.post_mode === "MEDIA_UPLOAD") {
    warn("tiktok.post_mode", "finish_in_app", "The post is sent to the inbox of the TikTok app. Publish it there.");
  }
  for (const [url, facts] of resolved.media) {
    if (facts.bytes !== null && facts.width !== null) continue;
    warn(
      "media",
      "facts_unknown",
      `${url} is not a verified file, so its size and dimensions are not checked before publishing. To check them, upload the file with POST /files.`,
    );
  }
  for (const account of resolved.accounts.values()) warnings.push(...findAccountWarnings(post, account, resolved));
  return warnings;
}

function findAccountWarnings(post: PostCreate, account: ResolvedAccount, { media }: ResolvedReferences): Warning[] {
  const { platform, type, username } = account;
  const { name } = PLATFORM_DETAILS[platform];
  const content = selectAccountContent(post, account, media);
  const found = (type === "byo" && drivers[platform]?.warn?.(content)) || [];
  const warnings = found.map(({ path, code, message }): Warning => ({ field: path, code, message }));
  const at = post.accounts.findIndex(({ id }) => id.toLowerCase() === account.id);
  const warn = (code: WarningCode, message: string) => warnings.push({ field: `accounts.${at}`, code, message });
  const reconnectBy = getReconnectBy(account);
  if (post.scheduled_at && reconnectBy && post.scheduled_at >= reconnectBy) {
    warn(
      "reconnect_before",
      `The connection of the ${name} account ${username} expires at ${reconnectBy.toISOString()}, before the post is due. Reconnect the account before then; otherwise the post is cancelled.`,
    );
  }
  if (account.hasFullUploadDay) {
    warn(
      "daily_uploads_planned",
      `All daily uploads that ${name} allows this service are reserved for that day. The post may be published after the following midnight (America/Los_Angeles). To publish on time, choose another day.`,
    );
  }
  return warnings;
}
