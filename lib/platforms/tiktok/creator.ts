// Reads the limits of an account, as TikTok requires before every post and on the page where it is written.
import type { ApiContext } from "../api.ts";
import { pick, pickList, pickNumber, pickString } from "../http.ts";
import { request } from "./api.ts";
import type { Creator } from "./creator-info.ts";

/** Throws a failure when the account may not post now, such as `spam_risk_too_many_posts`. */
export async function fetchCreator(context: ApiContext): Promise<Creator> {
  const { body } = await request(context, "POST", "post/publish/creator_info/query/", { json: {} });
  const { data } = body;
  return {
    username: pickString(data, "creator_username"),
    nickname: pickString(data, "creator_nickname"),
    avatarUrl: pickString(data, "creator_avatar_url"),
    privacyLevels: pickList(data, "privacy_level_options").map(String),
    commentsDisabled: pick(data, "comment_disabled") === true,
    duetDisabled: pick(data, "duet_disabled") === true,
    stitchDisabled: pick(data, "stitch_disabled") === true,
    maxSeconds: pickNumber(data, "max_video_post_duration_sec"),
  };
}
