// Maps TikTok's error codes and fail reasons to failure classes and messages.
import { HOUR_MS } from "../../shared/durations.ts";
import type { HttpContext, NetworkResponse } from "../http.ts";
import { parseRetryAt, pickString } from "../http.ts";
import { type ErrorMeaning, type Failure, failure } from "../platform.ts";

const RECONNECT = "TikTok no longer accepts this account's token. Reconnect the account.";
const OURS = "TikTok rejected the request. Contact support with the id of the post.";

/** The daily limit is a rolling window whose end TikTok does not report. */
const QUOTA_RETRY_MS = 6 * HOUR_MS;

const MEANINGS: Readonly<Record<string, ErrorMeaning>> = {
  access_token_invalid: ["auth", RECONNECT],
  access_token_expired: ["auth", RECONNECT],
  scope_not_authorized: [
    "account",
    "The account has not granted permission to publish. Reconnect it and allow publishing.",
  ],
  scope_permission_missed: [
    "account",
    "The account has not granted permission to publish. Reconnect it and allow publishing.",
  ],
  token_not_authorized_for_specified_publish_id: [
    "account",
    "This post was started with another token. Create the post again.",
  ],
  auth_removed: [
    "account",
    "The account revoked its permission during publishing. Reconnect it and create the post again.",
  ],
  spam_risk_user_banned_from_posting: ["account", "TikTok has banned this account from posting. Check the TikTok app."],
  spam_risk_too_many_pending_share: [
    "account",
    "The TikTok inbox already has five drafts. Publish or discard them in the app, then retry.",
  ],
  unaudited_client_can_only_post_to_private_accounts: [
    "account",
    "TikTok has not audited this service yet, and allows it private posts only. The account is not at fault. Set it to private and use privacy_level SELF_ONLY, or wait for the audit.",
  ],
  reached_active_user_cap: [
    "rate_limited",
    "TikTok limits the accounts that this service may publish for in 24 hours, and that number is reached. The account is not at fault. We retry automatically.",
  ],
  spam_risk_text: [
    "content",
    "TikTok takes the text of this post for spam. Change the caption, hashtags or links, then create the post again.",
  ],
  user_banned_from_posting: ["account", "TikTok has banned this account from posting. Check the TikTok app."],
  spam_risk_too_many_posts: ["rate_limited", "The account's daily posting limit is reached."],
  rate_limit_exceeded: ["rate_limited", "TikTok is rate limiting this account."],
  internal_error: ["transient", "TikTok had an internal error."],
  internal: ["transient", "TikTok had an internal error while processing."],
  privacy_level_option_mismatch: ["content", "The account does not allow this privacy_level. Use another one."],
  invalid_params: ["content", "TikTok rejected the settings of the post. Check title, description and options."],
  invalid_param: ["content", "TikTok rejected the settings of the post. Check title, description and options."],
  invalid_publish_id: ["transient", "TikTok cannot find this post yet."],
  url_ownership_unverified: [
    "content",
    "TikTok fetches photos from verified domains only. Upload the photos to this API first.",
  ],
  invalid_file_upload: ["content", "TikTok rejected the file. Check format and size."],
  app_version_check_failed: ["account", "The TikTok app of this account is too old for drafts. Update it and retry."],
  file_format_check_failed: [
    "content",
    "TikTok rejected the file format. Use MP4 or MOV, and JPEG or WebP for photos.",
  ],
  duration_check_failed: [
    "content",
    "TikTok rejected the length of the video. Shorten it to the maximum of the account.",
  ],
  frame_rate_check_failed: ["content", "TikTok rejected the frame rate. Use 23 to 60 frames per second."],
  // https://developers.tiktok.com/doc/content-posting-api-media-transfer-guide, read 2026-11-30. It is also the error of photos,
  // and names none of them: https://github.com/gitroomhq/postiz-app/pull/1875.
  picture_size_check_failed: [
    "content",
    "TikTok rejected the size of a picture. Photos must be at most 1080 x 1920 or 1920 x 1080 pixels, sides of a video 360 to 4096.",
  ],
  video_pull_failed: ["transient", "TikTok could not fetch the video."],
  photo_pull_failed: [
    "transient",
    "TikTok could not fetch the photos. Their URLs must be readable without signing in.",
  ],
  publish_cancelled: ["account", "The post was cancelled inside TikTok. Retry the post if this was not intended."],
};

/**
 * Errors of this service's app, not of the account: https://developers.tiktok.com/doc/content-posting-api-reference-direct-post;
 * the cap per 24 hours by a field report: https://github.com/DayMoonDevelopment/post-for-me/pull/334, read 2026-11-28.
 */
const APP_CODES = new Set(["reached_active_user_cap", "unaudited_client_can_only_post_to_private_accounts"]);

/** Throws unless the error code of the response is `ok`. */
export function assertSuccess(io: HttpContext, response: NetworkResponse): void {
  const code = pickString(response.body, "error", "code");
  if (response.status < 400 && (code === "ok" || code === null)) return;
  throw failure(toFailure(io, code ?? `http_${response.status}`, response.status, response.headers));
}

/** Maps the `fail_reason` of a failed publish; a retry has to restart. */
export function toPublishFailure(io: HttpContext, reason: string): Failure {
  // https://github.com/DayMoonDevelopment/post-for-me/pull/296, read 2026-11-30: a later try succeeds if the URL can be read.
  const tries = reason === "photo_pull_failed" ? 3 : undefined;
  return { ...toFailure(io, reason, 200, new Headers()), restart: true, tries };
}

function toFailure(io: HttpContext, code: string, status: number, headers: Headers): Failure {
  const [kind, message] = MEANINGS[code] ?? getFallbackMeaning(code, status);
  const operator = APP_CODES.has(code) ? ({ operator: true } as const) : {};
  if (kind !== "rate_limited") return { class: kind, code, message, ...operator };
  const later =
    code === "rate_limit_exceeded" ? parseRetryAt(headers, io.now()) : new Date(io.now().getTime() + QUOTA_RETRY_MS);
  return { class: kind, code, message, retryAt: later, ...operator };
}

function getFallbackMeaning(code: string, status: number): ErrorMeaning {
  if (code.startsWith("spam_risk")) return ["account", "TikTok flagged this account as spam. Check the TikTok app."];
  if (status === 401) return ["auth", RECONNECT];
  if (status === 403) return ["account", "TikTok does not allow this account to post. Check the TikTok app."];
  return status >= 400 ? ["content", OURS] : ["transient", "TikTok stopped processing the post."];
}
