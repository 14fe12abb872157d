// Maps YouTube's error reasons and processing results to failure classes and messages.

import { HOUR_MS } from "../../shared/durations.ts";
import { addDays, getStartOfDay, toDay } from "../../shared/time-zone.ts";
import { type HttpContext, type NetworkResponse, parseRetryAt, pick, pickList, pickString } from "../http.ts";
import { type ErrorMeaning, type Failure, failure, OPERATOR_ACTS } from "../platform.ts";

const RECONNECT = "YouTube no longer accepts this account's token. Reconnect the account.";
const GRANT = "The account has not granted permission to upload videos. Reconnect it and allow publishing.";
const OURS = "YouTube rejected the request. Contact support with the id of the post.";
const RIGHTS = "YouTube rejected the video for its content. See YouTube Studio for the reason, and use another video.";

/** The account's daily limit is a rolling window whose end YouTube does not report. */
const ACCOUNT_LIMIT_RETRY_MS = 6 * HOUR_MS;

const QUOTA: ErrorMeaning = [
  "rate_limited",
  `The daily YouTube quota of this service is used up until midnight Pacific time. ${OPERATOR_ACTS}`,
  "operator",
];
const NOT_CONFIGURED: ErrorMeaning = [
  "transient",
  `Google has not enabled the YouTube Data API for this service. ${OPERATOR_ACTS}`,
  "operator",
];

const REASONS: Readonly<Record<string, ErrorMeaning>> = {
  quotaExceeded: QUOTA,
  dailyLimitExceeded: QUOTA,
  // The API is not switched on in the service's project: https://developers.google.com/youtube/v3/docs/errors.
  accessNotConfigured: NOT_CONFIGURED,
  SERVICE_DISABLED: NOT_CONFIGURED,
  uploadLimitExceeded: ["rate_limited", "The account's daily upload limit is reached."],
  rateLimitExceeded: ["rate_limited", "YouTube is rate limiting requests."],
  userRateLimitExceeded: ["rate_limited", "YouTube is rate limiting this account."],
  authError: ["auth", RECONNECT],
  authorizationRequired: ["auth", RECONNECT],
  youtubeSignupRequired: ["account", "The Google account has no YouTube channel. Create one, then retry the post."],
  channelSuspended: ["account", "YouTube has suspended this channel. See YouTube Studio."],
  channelClosed: ["account", "This channel was closed. Connect another channel."],
  authenticatedUserAccountSuspended: ["account", "YouTube has suspended this account. See YouTube Studio."],
  authenticatedUserAccountClosed: ["account", "This YouTube account was closed. Connect another one."],
  forbidden: ["account", "YouTube does not allow this account to upload. See YouTube Studio, then retry the post."],
  insufficientPermissions: ["account", GRANT],
  forbiddenPrivacySetting: ["content", "YouTube does not allow this privacy setting. Use another one."],
  invalidTitle: ["content", "YouTube rejected the title. Use 1 to 100 characters without < and >."],
  invalidDescription: ["content", "YouTube rejected the description. Use at most 5,000 bytes without < and >."],
  invalidTags: ["content", "YouTube rejected the tags. Use at most 500 characters in total, without < and >."],
  invalidCategoryId: ["content", "This YouTube category does not exist. Use another categoryId."],
  invalidVideoMetadata: ["content", "YouTube rejected the settings of the video. Check title, category and options."],
  invalidFilename: ["content", "YouTube rejected the file. Use MP4 or MOV."],
  mediaBodyRequired: ["content", "YouTube received no video. Upload the file again and create a new post."],
  backendError: ["transient", "YouTube had an internal error."],
  internalError: ["transient", "YouTube had an internal error."],
};

/** Why an uploaded video is not published: `failureReason` and `rejectionReason`. */
const VERDICTS: Readonly<Record<string, ErrorMeaning>> = {
  codec: ["content", "YouTube does not support the codec of the video. Use H.264 with AAC."],
  conversion: ["content", "YouTube could not convert the video. Export it again with H.264 and AAC."],
  emptyFile: ["content", "YouTube received an empty file. Upload the file again and create a new post."],
  invalidFile: ["content", "YouTube could not read the file. Use MP4 or MOV with H.264 and AAC."],
  tooSmall: ["content", "The file is too small to be a video. Upload another one."],
  uploadAborted: ["transient", "The upload was interrupted."],
  claim: ["content", RIGHTS],
  copyright: ["content", RIGHTS],
  trademark: ["content", RIGHTS],
  legal: ["content", RIGHTS],
  inappropriate: ["content", RIGHTS],
  termsOfUse: ["content", RIGHTS],
  duplicate: ["content", "YouTube reports that the channel already has this video. Use another video."],
  length: [
    "content",
    "The video is longer than the account allows. Verify the account at YouTube, or shorten the video.",
  ],
  uploaderAccountClosed: ["account", "This YouTube account was closed. Connect another one."],
  uploaderAccountSuspended: ["account", "YouTube has suspended this account. See YouTube Studio."],
  deleted: [
    "account",
    "The video was deleted at YouTube before it was ready. Retry the post if this was not intended.",
  ],
};

/** The consent does not cover the request. */
export function isScopeMissing({ status, body }: NetworkResponse): boolean {
  const [first] = pickList(body, "error", "errors");
  const isDenied = pick(body, "error", "status") === "PERMISSION_DENIED";
  return status === 403 && (pickString(first, "reason") === "insufficientPermissions" || (!first && isDenied));
}

/** Throws unless the response is a success. */
export function assertSuccess(io: HttpContext, response: NetworkResponse): void {
  if (response.status < 400) return;
  const [first] = pickList(response.body, "error", "errors");
  const code = pickString(first, "reason") ?? `http_${response.status}`;
  throw failure(toFailure(io, code, response));
}

/** Maps the failure of an uploaded video: nothing is published, and the session cannot be used again. */
export function toProcessingFailure(reason: string): Failure {
  const [kind, message] = VERDICTS[reason] ?? ["content", "YouTube could not use the video. See YouTube Studio."];
  return { class: kind, code: reason, message, restart: true };
}

function toFailure(io: HttpContext, code: string, response: NetworkResponse): Failure {
  const [kind, message, isOperators] = REASONS[code] ?? getFallbackMeaning(response);
  const operator = isOperators ? true : undefined;
  if (kind !== "rate_limited") return { class: kind, code, message, operator };
  return { class: kind, code, message, retryAt: getRetryAt(io.now(), code, response), operator };
}

function getRetryAt(now: Date, code: string, response: NetworkResponse): Date | undefined {
  if (code === "quotaExceeded" || code === "dailyLimitExceeded") return nextMidnightPacific(now);
  if (code === "uploadLimitExceeded") return new Date(now.getTime() + ACCOUNT_LIMIT_RETRY_MS);
  return parseRetryAt(response.headers, now);
}

function getFallbackMeaning({ status, body }: NetworkResponse): ErrorMeaning {
  if (status === 401) return ["auth", RECONNECT];
  if (status === 403) {
    const scopes = pick(body, "error", "status") === "PERMISSION_DENIED";
    return ["account", scopes ? GRANT : "YouTube does not allow this account to post. See YouTube Studio."];
  }
  return ["content", OURS];
}

const PACIFIC = "America/Los_Angeles";

/** When YouTube's daily quotas reset. */
export function nextMidnightPacific(now: Date): Date {
  return getStartOfDay(addDays(toDay(now, PACIFIC), 1), PACIFIC);
}
