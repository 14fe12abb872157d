// Maps Bluesky's error names to failure classes and messages.
import { HOUR_MS } from "../../shared/durations.ts";
import { type HttpContext, type NetworkResponse, parseRetryAt, pick, pickString } from "../http.ts";
import { type ErrorMeaning, type Failure, failure } from "../platform.ts";

const RECONNECT = "Bluesky no longer accepts this account's token. Reconnect the account.";
const VIDEO_QUOTA_RETRY_MS = 6 * HOUR_MS;
const TOO_LARGE = "A file is too large. Images must be at most 2,000,000 bytes, videos at most 300 MB.";
const UNREADABLE_VIDEO = "Bluesky could not read the video. Use MP4 with H.264 and AAC, up to 10 minutes and 300 MB.";

const MEANINGS: Readonly<Record<string, ErrorMeaning>> = {
  ExpiredToken: ["auth", RECONNECT],
  InvalidToken: ["auth", RECONNECT],
  AuthMissing: ["auth", RECONNECT],
  AuthenticationRequired: ["auth", RECONNECT],
  AuthFactorTokenRequired: ["auth", "The account requires a sign-in code. Reconnect it with an app password."],
  AccountTakedown: ["account", "Bluesky has taken this account down. See the message in the Bluesky app."],
  AccountSuspended: ["account", "Bluesky has suspended this account. See the message in the Bluesky app."],
  AccountDeactivated: ["account", "The account is deactivated. Activate it in the Bluesky app, then retry."],
  RepoDeactivated: ["account", "The account is deactivated. Activate it in the Bluesky app, then retry."],
  RepoTakendown: ["account", "Bluesky has taken this account down. See the message in the Bluesky app."],
  RepoNotFound: ["account", "Bluesky does not know this account. Reconnect it."],
  unconfirmed_email: ["account", "The account's e-mail address is not confirmed. Confirm it in Bluesky, then retry."],
  RateLimitExceeded: ["rate_limited", "Bluesky is rate limiting this account."],
  upload_limit: ["rate_limited", "The account's daily video limit is reached."],
  BlobTooLarge: ["content", TOO_LARGE],
  PayloadTooLarge: ["content", TOO_LARGE],
  VideoTooLarge: ["content", TOO_LARGE],
  VideoTooLong: ["content", UNREADABLE_VIDEO],
  UnsupportedContentType: ["content", UNREADABLE_VIDEO],
  UploadForbidden: [
    "account",
    "Bluesky does not allow this account to upload videos. Check the account in the Bluesky app.",
  ],
  TooManyOpenUploads: ["rate_limited", "The account has too many open uploads of videos."],
  UploadNotReady: ["transient", "Bluesky is still putting the parts of the video together."],
  InvalidMimeType: ["content", "A file has an unsupported type. Use JPEG, PNG or WebP for images and MP4 for videos."],
  InvalidRecord: ["content", "Bluesky rejected the post as malformed. Contact support with the id of the post."],
  validation_failure: ["content", UNREADABLE_VIDEO],
  encoding_failure: ["content", UNREADABLE_VIDEO],
  pds_upload_unsupported_blob_size: [
    "content",
    "The account's server does not accept a video of this size. Use a smaller one.",
  ],
};

export function assertSuccess(io: HttpContext, response: NetworkResponse): void {
  if (response.status < 400) return;
  throw failure(toFailure(io, getErrorName(response), response));
}

/** The error that a request of an inactive account gets, by `status` of com.atproto.server.getSession. */
const INACTIVE: Readonly<Record<string, string>> = {
  takendown: "AccountTakedown",
  suspended: "AccountSuspended",
  deactivated: "AccountDeactivated",
};

export function assertActive({ body }: NetworkResponse): void {
  const name = pick(body, "active") === false ? INACTIVE[pickString(body, "status") ?? ""] : undefined;
  const [kind, message] = MEANINGS[name ?? ""] ?? [];
  if (name && kind && message) throw failure({ class: kind, code: toCode(name), message });
}

export function getErrorName({ body, status }: NetworkResponse): string {
  return pickString(body, "error") ?? `http_${status}`;
}

function toFailure(io: HttpContext, name: string, response: NetworkResponse): Failure {
  // Bluesky deletes unreferenced blobs after some time.
  if (name === "BlobNotFound" || /could not find blob/i.test(pickString(response.body, "message") ?? "")) {
    const message = "Bluesky no longer stores the uploaded media.";
    return { class: "transient", code: "blob_not_found", message, restart: true };
  }
  const [kind, message] = MEANINGS[name] ?? getFallbackMeaning(response);
  const failed: Failure = { class: kind, code: toCode(name), message };
  return kind === "rate_limited" ? { ...failed, retryAt: getRetryAt(io, name, response.headers) } : failed;
}

function getRetryAt(io: HttpContext, name: string, headers: Headers): Date | undefined {
  return name === "upload_limit"
    ? new Date(io.now().getTime() + VIDEO_QUOTA_RETRY_MS)
    : parseRetryAt(headers, io.now());
}

function getFallbackMeaning({ status }: NetworkResponse): ErrorMeaning {
  if (status === 401) return ["auth", RECONNECT];
  if (status === 403)
    return ["account", "Bluesky does not allow this account to post. Check the account in the Bluesky app."];
  if (status === 413) return MEANINGS.PayloadTooLarge ?? ["content", "A file is too large."];
  return ["content", "Bluesky rejected the post. Check caption and media, or contact support with the id of the post."];
}

function toCode(name: string): string {
  return name.replaceAll(/(?<=[a-z])(?=[A-Z])/g, "_").toLowerCase();
}

/** The video service returns free-form error texts; maps them to error names. */
function getVideoErrorName(response: NetworkResponse): string {
  const text = `${pickString(response.body, "error") ?? ""} ${pickString(response.body, "message") ?? ""}`;
  if (/email/i.test(text)) return "unconfirmed_email";
  if (/larger than|too large|maximum allowed/i.test(text)) return "BlobTooLarge";
  if (/daily|limit|quota/i.test(text)) return "upload_limit";
  return getErrorName(response);
}

export function toVideoFailure(io: HttpContext, response: NetworkResponse): Failure {
  return toFailure(io, getVideoErrorName(response), response);
}

/** Maps the error of a video job: an invalid video is final, an error of the service restarts the upload. */
export function toJobFailure(name: string): Failure {
  const [kind, message] = MEANINGS[name] ?? ["transient", "Bluesky could not process the video."];
  return { class: kind, code: toCode(name), message, restart: true };
}

export function toAuthFailure(code: string): Failure {
  return { class: "auth", code, message: RECONNECT };
}
