// Maps X's problem details and upload errors to failure classes and messages.
import { HOUR_MS } from "../../shared/durations.ts";
import { type HttpContext, type NetworkResponse, parseRetryAt, pickList, pickString } from "../http.ts";
import { type ErrorMeaning, type Failure, failure, OPERATOR_ACTS } from "../platform.ts";

export const NETWORK = "X";

const RECONNECT = "X no longer accepts this account's token. Reconnect the account.";
const QUOTA_RETRY_MS = HOUR_MS;

const USED_UP: ErrorMeaning = [
  "rate_limited",
  `This service has used up its post quota on X. ${OPERATOR_ACTS}`,
  "operator",
];
const NO_CREDITS: ErrorMeaning = [
  "rate_limited",
  `This service has no credits left at X. ${OPERATOR_ACTS}`,
  "operator",
];
const APP_NOT_ALLOWED: ErrorMeaning = [
  "transient",
  `X does not let this service post at the moment. ${OPERATOR_ACTS}`,
  "operator",
];

/** By the last part of the problem's `type`, which is stable, unlike titles and details. */
const BY_TYPE: Readonly<Record<string, ErrorMeaning>> = {
  "usage-capped": USED_UP,
  credits: NO_CREDITS,
  // The app has not the access level, or not the permissions, that posting needs.
  "client-forbidden": APP_NOT_ALLOWED,
  "oauth1-permissions": APP_NOT_ALLOWED,
  "unsupported-authentication": [
    "account",
    "The account was connected with an authentication method that cannot post. Reconnect it.",
  ],
  "user-suspended": ["account", "X has suspended this account. Resolve it on x.com, then retry."],
  "account-suspended": ["account", "X has suspended this account. Resolve it on x.com, then retry."],
  "account-locked": ["account", "X has locked this account. Unlock it on x.com, then retry."],
};

/** By the text of the detail, for the many errors without a specific type. */
const BY_DETAIL: readonly (readonly [RegExp, string, ErrorMeaning])[] = [
  [
    /duplicate content/i,
    "duplicate_content",
    [
      "content",
      "The account already has a post with this text on X. If it is this post, no action is needed. Otherwise change the caption and create the post again.",
    ],
  ],
  [
    /not allowed to post a video longer than/i,
    "video_too_long",
    ["content", "The video is too long for this account: X allows 20 minutes, with Premium 125. Shorten the video."],
  ],
  [/suspended/i, "user_suspended", ["account", "X has suspended this account. Resolve it on x.com, then retry."]],
  [/\blocked\b/i, "account_locked", ["account", "X has locked this account. Unlock it on x.com, then retry."]],
  [
    /automated|spam/i,
    "automated_content",
    ["account", "X flagged the post as automated. Check the account on x.com, then retry."],
  ],
  [
    /(too|280 char|text).{0,40}(long|short|limit)/i,
    "text_too_long",
    ["content", "The text is too long for X. Shorten the caption and create the post again."],
  ],
  [
    /deleted or not visible/i,
    "parent_missing",
    ["content", "The post that would be answered is no longer on X. Create a new post."],
  ],
  [
    /cashtag/i,
    "many_cashtags",
    ["content", "X allows one cashtag, such as $ABC, in a post of this service. Remove the others from the caption."],
  ],
  [
    /invalid url|malicious|harmful/i,
    "invalid_url",
    ["content", "X does not accept a link in the caption. Remove it and create the post again."],
  ],
  [
    /paid.?partnership/i,
    "paid_partnership_refused",
    ["content", "The account is not allowed to mark paid partnerships. Remove `paid_partnership`."],
  ],
  [
    /reply.?settings/i,
    "reply_settings_refused",
    ["content", "The account is not allowed to use this reply setting. Use another value of `who_can_reply_post`."],
  ],
  // https://github.com/gitroomhq/postiz-app/pull/2040, read 2026-11-30.
  [
    /crypto addresses/i,
    "crypto_address",
    ["content", "X takes crypto addresses only 7 days after the account was connected. Remove it, or post later."],
  ],
  [/client app is not configured/i, "app_not_configured", APP_NOT_ALLOWED],
  [
    /oauth|scope|permission/i,
    "not_permitted",
    ["account", "The account has not granted permission to publish. Reconnect it and allow publishing."],
  ],
];

/** X at times does not recognise a valid token, as integrations report. */
const TOKEN_UNRECOGNISED = /authenticating with unknown/i;

const MEDIA_GONE = /media.?ids?.{0,40}(invalid|expired|not found)/i;

/** Throws unless the response is a success; X can return 200 with errors only. */
export function assertSuccess(io: HttpContext, response: NetworkResponse): void {
  const failedOnly = response.body.data === undefined && pickList(response.body, "errors").length > 0;
  if (response.status < 400 && !failedOnly) return;
  throw failure(toFailure(io, response));
}

function toFailure(io: HttpContext, response: NetworkResponse): Failure {
  const [first] = pickList(response.body, "errors");
  const detail = [
    pickString(response.body, "detail"),
    pickString(first, "message"),
    pickString(first, "detail"),
    pickString(response.body, "title"),
    pickString(response.body, "error"),
  ]
    .filter(Boolean)
    .join(" ");
  const type = (pickString(response.body, "type") ?? pickString(first, "type") ?? "").split("/").at(-1) ?? "";
  if (MEDIA_GONE.test(detail)) {
    // Also of files that X has just stored but cannot use: https://github.com/plhery/node-twitter-api-v2/issues/501
    const message = "X did not accept the uploaded media. If this repeats, export the file again, smaller.";
    return { class: "transient", code: "x_media_expired", message, restart: true };
  }
  if (TOKEN_UNRECOGNISED.test(detail)) {
    const message = "X did not recognise the account's token.";
    return { class: "transient", code: "x_token_unrecognised", message, tries: 3 };
  }
  const [code, [kind, message, isOperators]] = getMeaning(type, detail, response.status);
  const operator = isOperators ? true : undefined;
  if (kind !== "rate_limited") return { class: kind, code: `x_${code}`, message, operator };
  const later = response.headers.has("x-rate-limit-reset") ? parseRetryAt(response.headers, io.now()) : inAnHour(io);
  return { class: kind, code: `x_${code}`, message, retryAt: later, operator };
}

function inAnHour(io: HttpContext): Date {
  return new Date(io.now().getTime() + QUOTA_RETRY_MS);
}

function getMeaning(type: string, detail: string, status: number): [string, ErrorMeaning] {
  const byType = BY_TYPE[type];
  if (byType) return [type.replaceAll("-", "_"), byType];
  if (status === 401) return ["unauthorized", ["auth", RECONNECT]];
  if (status === 402) return ["credits", NO_CREDITS];
  for (const [pattern, code, meaning] of BY_DETAIL) if (pattern.test(detail)) return [code, meaning];
  if (status === 403)
    return ["forbidden", ["account", "X does not allow this account to post. Check the account on x.com."]];
  if (status === 413) return ["media_too_large", ["content", "The file is too large for X. Use a smaller one."]];
  return [
    `http_${status}`,
    ["content", "X rejected the post. Check caption and media, or contact support with the id of the post."],
  ];
}

/** Maps the error of media processing; a retry has to upload the file again. */
export function processingFailed(info: unknown): Failure {
  const name = pickString(info, "error", "name") ?? "unknown";
  const code = `x_${name.replaceAll(/(?<=[a-z])(?=[A-Z])/g, "_").toLowerCase()}`;
  if (name === "InternalError" || name === "unknown") {
    return { class: "transient", code, message: "X could not process the media.", restart: true };
  }
  const message = "X could not read the media. Use MP4 or MOV with H.264 and AAC, or JPEG, PNG, WebP or GIF.";
  return { class: "content", code, message, restart: true };
}
