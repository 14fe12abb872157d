// Reads the limits of an account, as TikTok requires before every post and on the page where it is written:
// https://developers.tiktok.com/doc/content-posting-api-reference-query-creator-info, read 2026-11-24.
import type { NetworkConfig } from "../../shared/platforms.ts";
import { type HttpContext, pick, pickList, pickNumber, pickString, sendRequest } from "../http.ts";
import type { Creator } from "./creator-info.ts";
import { assertSuccess } from "./errors.ts";

/** Throws a failure when the account may not post now, such as `spam_risk_too_many_posts`. */
export async function fetchCreator(io: HttpContext, network: NetworkConfig, accessToken: string): Promise<Creator> {
  const response = await sendRequest(io, {
    network: "TikTok",
    method: "POST",
    url: `${network.baseUrl}/v2/post/publish/creator_info/query/`,
    bearer: accessToken,
    json: {},
  });
  assertSuccess(io, response);
  const { data } = response.body;
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
