// Creator info of the simulated TikTok and the limits that follow from it: privacy levels, interactions, posts per day.
import type { NetworkAccount, NetworkResponse, PublishedItem } from "./network.ts";
import { errorResponse, getUsername, okResponse } from "./tiktok-protocol.ts";

const PRIVACY_LEVELS = ["PUBLIC_TO_EVERYONE", "MUTUAL_FOLLOW_FRIENDS", "FOLLOWER_OF_CREATOR", "SELF_ONLY"];

export function getCreatorInfo(account: NetworkAccount): NetworkResponse {
  return okResponse({
    creator_avatar_url: "https://p16-sign.tiktokcdn.com/avatar.jpeg",
    creator_username: getUsername(account),
    creator_nickname: getUsername(account),
    privacy_level_options: account.facts?.privacyLevels ?? PRIVACY_LEVELS,
    comment_disabled: account.facts?.commentDisabled === true,
    duet_disabled: account.facts?.duetDisabled === true,
    stitch_disabled: account.facts?.stitchDisabled === true,
    max_video_post_duration_sec: account.facts?.maxVideoSeconds ?? 600,
  });
}

/** Returns the error when the account may not post with this post info. */
export function findInfoError(
  account: NetworkAccount,
  info: Record<string, unknown>,
  published: readonly PublishedItem[],
): NetworkResponse | null {
  const levels = (account.facts?.privacyLevels as string[] | undefined) ?? PRIVACY_LEVELS;
  if (!PRIVACY_LEVELS.includes(String(info.privacy_level))) return errorResponse(400, "invalid_params");
  if (!levels.includes(String(info.privacy_level))) return errorResponse(403, "privacy_level_option_mismatch");
  if (info.brand_content_toggle === true && info.privacy_level === "SELF_ONLY")
    return errorResponse(400, "invalid_params");
  const limit = Number(account.facts?.postsPerDay ?? Number.POSITIVE_INFINITY);
  const used = published.filter((item) => item.account === account.externalId).length;
  return used >= limit ? errorResponse(403, "spam_risk_too_many_posts") : null;
}
