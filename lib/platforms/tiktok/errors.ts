// TikTok's error codes and fail reasons, each with its class and a sentence for the customer.
import type { Io, Reply } from "../http.ts";
import { pickString, retryAt } from "../http.ts";
import { type Failure, type FailureClass, failure } from "../platform.ts";

type Meaning = readonly [FailureClass, string];

const RECONNECT = "TikTok no longer accepts this account's sign-in. Reconnect the account.";
const OURS = "TikTok refused the request. Please tell support, with the id of the post.";
const HOURS = 3_600_000;

/** The daily limit is a rolling window whose end TikTok does not tell. */
const QUOTA_RETRY_MS = 6 * HOURS;

const MEANINGS: Readonly<Record<string, Meaning>> = {
  access_token_invalid: ["auth", RECONNECT],
  access_token_expired: ["auth", RECONNECT],
  scope_not_authorized: ["account", "The account has not granted posting. Reconnect it and allow publishing."],
  scope_permission_missed: ["account", "The account has not granted posting. Reconnect it and allow publishing."],
  token_not_authorized_for_specified_publish_id: ["account", "This post was begun by another sign-in. Post it anew."],
  auth_removed: ["account", "The account took away its permission while posting. Reconnect it and post again."],
  spam_risk_user_banned_from_posting: ["account", "TikTok has banned this account from posting. See TikTok's app."],
  spam_risk_too_many_pending_share: [
    "account",
    "Five drafts already wait in the TikTok inbox. Finish or discard them in the app, then retry.",
  ],
  unaudited_client_can_only_post_to_private_accounts: [
    "account",
    "TikTok allows only private posts here so far. Set the account to private or post with SELF_ONLY.",
  ],
  reached_active_user_cap: [
    "account",
    "TikTok's daily number of accounts for this service is reached. Retry tomorrow.",
  ],
  user_banned_from_posting: ["account", "TikTok has banned this account from posting. See TikTok's app."],
  spam_risk_too_many_posts: ["rate_limited", "The account's daily posting limit is reached. We try again later."],
  rate_limit_exceeded: ["rate_limited", "TikTok takes no more calls for this account now. We try again by ourselves."],
  internal_error: ["transient", "TikTok had an internal error. We try again by ourselves."],
  internal: ["transient", "TikTok had an internal error while processing. We try again by ourselves."],
  privacy_level_option_mismatch: ["content", "The account does not offer this privacy level. Choose another one."],
  invalid_params: ["content", "TikTok refused the settings of the post. Check title, description and options."],
  invalid_param: ["content", "TikTok refused the settings of the post. Check title, description and options."],
  invalid_publish_id: ["transient", "TikTok does not know this post yet. We ask again by ourselves."],
  url_ownership_unverified: ["content", "TikTok fetches photos from confirmed domains only. Upload them here first."],
  invalid_file_upload: ["content", "TikTok refused the file. Check format and size."],
  app_version_check_failed: ["account", "The TikTok app of this account is too old for drafts. Update it and retry."],
  file_format_check_failed: ["content", "TikTok refused the file format. Use MP4 or MOV, and JPEG or WebP for photos."],
  duration_check_failed: ["content", "TikTok refused the length of the video. Cut it to what the account may post."],
  frame_rate_check_failed: ["content", "TikTok refused the frame rate. Use 23 to 60 frames per second."],
  picture_size_check_failed: ["content", "TikTok refused the picture size. Use sides between 360 and 4096 pixels."],
  video_pull_failed: ["transient", "TikTok could not fetch the video. We try again by ourselves."],
  photo_pull_failed: ["content", "TikTok could not fetch the photos. Their URLs must be readable without signing in."],
  publish_cancelled: ["account", "The post was cancelled inside TikTok. Retry it if that was not meant."],
};

/** Throws unless an answer says `ok`. */
export function expectOk(io: Io, reply: Reply): void {
  const code = pickString(reply.body, "error", "code");
  if (reply.status < 400 && (code === "ok" || code === null)) return;
  throw failure(explain(io, code ?? `http_${reply.status}`, reply.status, reply.headers));
}

/** What a `fail_reason` of a finished attempt means; the attempt is over either way. */
export function failedBecause(io: Io, reason: string): Failure {
  return { ...explain(io, reason, 200, new Headers()), restart: true };
}

function explain(io: Io, code: string, status: number, headers: Headers): Failure {
  const [kind, message] = MEANINGS[code] ?? fallback(code, status);
  if (kind !== "rate_limited") return { class: kind, code, message };
  const later =
    code === "rate_limit_exceeded" ? retryAt(headers, io.now()) : new Date(io.now().getTime() + QUOTA_RETRY_MS);
  return { class: kind, code, message, retryAt: later };
}

function fallback(code: string, status: number): Meaning {
  if (code.startsWith("spam_risk")) return ["account", "TikTok holds this account for spam. See TikTok's app."];
  if (status === 401) return ["auth", RECONNECT];
  if (status === 403) return ["account", "TikTok does not let this account do this. See TikTok's app."];
  return status >= 400 ? ["content", OURS] : ["transient", "TikTok ended the post. We try again by ourselves."];
}
