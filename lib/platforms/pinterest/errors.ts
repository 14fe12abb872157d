// Maps Pinterest's errors to failures.
import { type NetworkResponse, pickNumber, pickString } from "../http.ts";
import { type ErrorMeaning, type Failure, failure, OPERATOR_ACTS } from "../platform.ts";

const RECONNECT = "Pinterest no longer accepts this account's token. Reconnect the account.";
const NO_BOARD: ErrorMeaning = [
  "content",
  "Pinterest does not know this board. Use another `board_id` and create the post again.",
];
const NOT_ALLOWED: ErrorMeaning = [
  "account",
  "The account is not allowed to post to this board. Use a board of the account, or reconnect it and allow publishing.",
];

const BY_CODE: Readonly<Record<number, readonly [string, ErrorMeaning]>> = {
  2: ["authentication_failed", ["auth", RECONNECT]],
  3: ["authorization_failed", NOT_ALLOWED],
  29: ["not_permitted", NOT_ALLOWED],
  40: ["board_not_found", NO_BOARD],
};

/** Fallback by message: codes differ between endpoints and are barely documented. */
const BY_MESSAGE: readonly (readonly [RegExp, string, ErrorMeaning])[] = [
  [/board.{0,30}not found/i, "board_not_found", NO_BOARD],
  [
    /suspended|deactivated/i,
    "account_suspended",
    ["account", "Pinterest has suspended this account. Check the Pinterest app."],
  ],
  // "You've hit a block (Pins) we have in place to combat spam": https://github.com/gitroomhq/postiz-app/pull/1962.
  [/hit a block/i, "spam_block", ["rate_limited", "Pinterest takes no more pins of this account for now."]],
  [
    /spam|blocked/i,
    "link_blocked",
    ["content", "Pinterest does not accept the link of the pin. Change or remove `link`."],
  ],
  [
    /image|media|video/i,
    "media_refused",
    ["content", "Pinterest could not use the media. Its URL must be readable without signing in: JPEG, PNG or MP4."],
  ],
];

/**
 * Pinterest at times fails to fetch an image that can be read; integrations report that a later try succeeds:
 * https://github.com/gitroomhq/postiz-app/pull/1931, read 2026-11-30.
 */
const UNREACHABLE = /unable to reach the url|could not fetch the image/i;

/** Code 2787, not of status 5xx alone. Whether the pin was created is open. https://github.com/gitroomhq/postiz-app/pull/1907. */
const INTERNAL = /went wrong on our end/i;

/**
 * "Apps with Trial access may not create Pins in production ..., use API Sandbox": code 29, as of a board of others.
 * https://github.com/gitroomhq/postiz-app/issues/1084 and https://developers.pinterest.com/docs/key-concepts/access-tiers/,
 * read 2026-11-28.
 */
const TRIAL_ACCESS = /trial access|api.sandbox|standard access/i;

export function assertSuccess(response: NetworkResponse): void {
  if (response.status >= 400) throw failure(toFailure(response));
}

function toFailure({ status, body }: NetworkResponse): Failure {
  const text = pickString(body, "message") ?? "";
  if (UNREACHABLE.test(text)) {
    const message = "Pinterest could not fetch the image. Its URL must be readable without signing in: JPEG or PNG.";
    return { class: "transient", code: "pin_media_unreachable", message, tries: 3 };
  }
  if (INTERNAL.test(text)) {
    return { class: "unanswered", code: "pin_internal_error", message: "Pinterest had an internal error." };
  }
  if (TRIAL_ACCESS.test(text)) {
    const message = `Pinterest has given this service trial access only, which cannot publish. ${OPERATOR_ACTS}`;
    return { class: "transient", code: "pin_trial_access", message, operator: true };
  }
  const [code, [kind, message]] = BY_CODE[pickNumber(body, "code") ?? 0] ?? getMeaning(text, status);
  return { class: kind, code: `pin_${code}`, message };
}

function getMeaning(text: string, status: number): readonly [string, ErrorMeaning] {
  if (status === 401) return ["unauthorized", ["auth", RECONNECT]];
  for (const [pattern, code, meaning] of BY_MESSAGE) if (pattern.test(text)) return [code, meaning];
  if (status === 403) return ["forbidden", NOT_ALLOWED];
  return [
    `http_${status}`,
    ["content", "Pinterest rejected the pin. Check title, link and media, or contact support with the id of the post."],
  ];
}

export function toLostUploadFailure(code: string): Failure {
  const message = "Pinterest no longer has the upload.";
  return { class: "transient", code: `pin_${code}`, message, restart: true };
}

export function toProcessingFailure(): Failure {
  const message = "Pinterest could not process the video. Use MP4 or MOV with H.264, 4 seconds to 15 minutes.";
  return { class: "content", code: "pin_video_failed", message, restart: true };
}
