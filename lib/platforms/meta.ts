// Error envelope and error codes of Meta's Graph API, shared by Instagram, Threads and Facebook.
import { DAY_MS, DAY_SECONDS, HOUR_MS } from "../shared/durations.ts";
import {
  type HttpContext,
  isObject,
  type NetworkResponse,
  parseRetryAt,
  pick,
  pickNumber,
  pickString,
} from "./http.ts";
import { type ErrorMeaning, type Failure, failure, OPERATOR_ACTS } from "./platform.ts";

/** Error codes of one network that differ from, or add to, the shared tables. */
export interface Dialect {
  codes: Readonly<Record<number, ErrorMeaning>>;
  subcodes: Readonly<Record<number, ErrorMeaning>>;
  /** Subcodes that do not show whether the request took effect. */
  ambiguous: ReadonlySet<number>;
}

const RECONNECT = "The account's token is no longer accepted. Reconnect the account.";

/** Internal errors of the network that do not show whether the request took effect. */
const AMBIGUOUS_CODES: ReadonlySet<number> = new Set([-1, 1, 2]);

/**
 * Meta also returns it for one of six images of one host, and a later try succeeds:
 * https://github.com/gitroomhq/postiz-app/pull/1900, read 2026-11-30. Its documentation names only URLs that cannot be read, so the
 * tries are few.
 */
const UNFETCHED: ErrorMeaning = [
  "transient",
  "The media could not be fetched. Its URL must be readable without signing in.",
];

/** 2207085 is not documented: https://github.com/gitroomhq/postiz-app/pull/1992, read 2026-11-30. */
const UNPROCESSED: ErrorMeaning = ["content", "The video could not be processed. Use MP4 or MOV with H.264 and AAC."];

const BY_SUBCODE: Readonly<Record<number, ErrorMeaning>> = {
  // Documented as a server error; Postiz takes it for spam (instagram.provider.ts of its repository). Read 2026-11-28:
  // https://developers.facebook.com/docs/instagram-platform/instagram-graph-api/reference/error-codes
  2207001: ["transient", "The network had an internal error, which it also reports for posts that it takes for spam."],
  2207003: ["transient", "Fetching the media took too long."],
  2207004: ["content", "The image is too large. Use an image of at most 8 MiB."],
  2207005: ["content", "The image format is not supported. Use JPEG."],
  2207006: ["transient", "The network cannot find the upload."],
  2207008: ["transient", "The network cannot find the upload."],
  2207009: ["content", "The aspect ratio of the image is not supported. Use a ratio between 4:5 and 1.91:1."],
  2207010: ["content", "The caption is too long. Shorten it to 2,200 characters."],
  // With code 110: https://github.com/gitroomhq/postiz-app/pull/1876, read 2026-11-30.
  2207018: [
    "content",
    "An account that is tagged or invited as a collaborator is private, does not exist, or does not allow it. Correct or remove its username.",
  ],
  2207020: ["transient", "The upload expired before it was published."],
  2207023: ["content", "The media type is not known to the network. Choose another post type."],
  2207026: ["content", "The video format is not supported. Use MP4 or MOV with H.264 and AAC."],
  2207027: ["transient", "The network is still processing the media."],
  2207028: ["content", "The images cannot be published as a carousel. Use 2 to 10 images."],
  2207032: ["transient", "The network could not create the post."],
  2207040: ["content", "The caption mentions too many accounts. Use at most 20."],
  2207042: ["rate_limited", "The account's daily posting limit is reached."],
  2207050: ["account", "The account is restricted. Open the network's app and resolve it, then retry."],
  2207051: ["account", "The network blocks this account for unusual activity. Check the network's app, then retry."],
  2207052: UNFETCHED,
  2207053: ["transient", "The upload failed."],
  2207057: ["content", "The cover offset is beyond the end of the video. Use an offset within its duration."],
  2207076: UNPROCESSED,
  2207077: UNFETCHED,
  2207085: UNPROCESSED,
  2207081: ["content", "The account cannot publish trial reels. Publish a regular reel instead."],
  2207082: ["transient", "The upload failed."],
};

const BY_CODE: Readonly<Record<number, ErrorMeaning>> = {
  [-2]: ["transient", "The network could not fetch the media in time."],
  [-1]: ["transient", "The network had an internal error."],
  1: ["transient", "The network had an internal error."],
  2: ["transient", "The network is unavailable."],
  4: ["rate_limited", "The network is rate limiting requests."],
  9: ["rate_limited", "The account's daily posting limit is reached."],
  10: ["account", "The account has not granted posting. Reconnect it and allow publishing."],
  17: ["rate_limited", "The network is rate limiting this account."],
  25: ["account", "The account is restricted. Open the network's app and resolve it, then retry."],
  32: ["rate_limited", "The network is rate limiting requests."],
  102: ["auth", RECONNECT],
  190: ["auth", RECONNECT],
  200: ["account", "The account has not granted posting. Reconnect it and allow publishing."],
  352: ["content", "The video format is not supported. Use MP4 or MOV with H.264 and AAC."],
  368: ["account", "The network has temporarily blocked this account. Check the network's app, then retry."],
  613: ["rate_limited", "The network is rate limiting requests."],
  9004: UNFETCHED,
  9007: ["transient", "The network is still processing the media."],
  36000: ["content", "The image is too large. Use an image of at most 8 MiB."],
  36001: ["content", "The image format is not supported. Use JPEG."],
  36003: ["content", "The aspect ratio of the image is not supported. Use a ratio between 4:5 and 1.91:1."],
  36004: ["content", "The caption is too long. Shorten it to 2,200 characters."],
  80002: ["rate_limited", "The network is rate limiting this account."],
};

const QUOTA_RETRY_MS = HOUR_MS;

/**
 * Expiring tokens are valid for 60 days and can be refreshed only before they expire, so an unknown end would be missed:
 * https://developers.facebook.com/docs/instagram-platform/reference/refresh_access_token, read 2026-11-23.
 */
export const LONG_LIVED_SECONDS = 60 * DAY_SECONDS;
/** Of an expiring token, whose refresh can fail for days. */
export const REFRESH_AHEAD_MS = 30 * DAY_MS;
const REJECTED: ErrorMeaning = ["content", "The network rejected the post. Contact support with the id of the post."];
const ACCOUNT_HIDDEN: ErrorMeaning = [
  "account",
  "The network does not give us access to this account. Reconnect the account.",
];

export interface MetaError {
  code: number | null;
  subcode: number | null;
}

export function readMetaError(body: Record<string, unknown>): MetaError | null {
  if (!isObject(body.error)) return null;
  return { code: pickNumber(body, "error", "code"), subcode: pickNumber(body, "error", "error_subcode") };
}

/** Throws unless the response is a success. `prefix` marks the codes of one network: `ig_2207010`. */
export function assertSuccess(
  io: HttpContext,
  response: NetworkResponse,
  context: { prefix: string; irreversible: boolean; dialect?: Dialect },
): void {
  const error = readMetaError(response.body);
  if (!error && response.status < 400) return;
  const { prefix, irreversible, dialect } = context;
  const failed = toMetaFailure(io, prefix, error ?? { code: null, subcode: null }, response, dialect);
  throw failure(irreversible && mayHaveSucceeded(error, dialect) ? { ...failed, class: "unanswered" } : failed);
}

/** An ambiguous error, or one about a missing upload, can follow a publish that succeeded. */
function mayHaveSucceeded(error: MetaError | null, dialect: Dialect | undefined): boolean {
  if (!error) return false;
  if (error.subcode !== null && dialect?.ambiguous.has(error.subcode)) return true;
  if (error.subcode === 2207006 || error.subcode === 2207008) return true;
  return error.code !== null && AMBIGUOUS_CODES.has(error.code) && !isFinal(error.subcode, dialect);
}

function isFinal(subcode: number | null, dialect: Dialect | undefined): boolean {
  const kind = subcode === null ? undefined : (dialect?.subcodes[subcode] ?? BY_SUBCODE[subcode])?.[0];
  return kind !== undefined && kind !== "transient";
}

export function toMetaFailure(
  io: HttpContext,
  prefix: string,
  error: MetaError,
  response: NetworkResponse | null,
  dialect?: Dialect,
): Failure {
  const name = error.subcode ?? error.code ?? `http_${response?.status ?? 0}`;
  if (isAppRejected(error, response)) {
    const message = `Meta does not let this service make the call. ${OPERATOR_ACTS}`;
    return { class: "transient", code: `${prefix}_${name}`, message, operator: true };
  }
  const meaning = getMeaning(error, response, dialect);
  const [kind, message] = meaning;
  const tries = meaning === UNFETCHED ? 3 : undefined;
  const failed: Failure = { class: kind, code: `${prefix}_${name}`, message, tries };
  return kind === "rate_limited" ? { ...failed, retryAt: getRetryAt(io, error, response) } : failed;
}

/**
 * Code 3: the app lacks the capability, https://developers.facebook.com/docs/graph-api/guides/error-handling. A deleted app
 * (https://github.com/metacpan/metacpan-web/issues/2076: 101) and a wrong secret
 * (https://github.com/facebookarchive/php-graph-sdk/issues/538: 1) are known by their texts. All read 2026-11-28.
 */
function isAppRejected({ code }: MetaError, response: NetworkResponse | null): boolean {
  return code === 3 || /error validating (application|client secret)/i.test(readErrorText(response));
}

function readErrorText(response: NetworkResponse | null): string {
  return pickString(response?.body, "error", "message") ?? "";
}

/** Code 10 and 200 to 299: https://developers.facebook.com/docs/graph-api/guides/error-handling, read 2026-11-28. */
export const isPermissionCode = (code: number | null): boolean =>
  code === 10 || (code !== null && code >= 200 && code <= 299);

/** "(#100) No permission to publish the video": https://github.com/gitroomhq/postiz-app/commit/6784a283d, read 2026-11-30. */
const NO_PERMISSION = /no permission/i;

function getMeaning(error: MetaError, response: NetworkResponse | null, dialect: Dialect | undefined): ErrorMeaning {
  const transient = response !== null && pick(response.body, "error", "is_transient") === true;
  const { code, subcode } = error;
  const known =
    (subcode !== null && (dialect?.subcodes[subcode] ?? BY_SUBCODE[subcode])) ||
    (code !== null && (dialect?.codes[code] ?? BY_CODE[code]));
  if (known) return known;
  if (isPermissionCode(code) || NO_PERMISSION.test(readErrorText(response))) {
    return dialect?.codes[200] ?? BY_CODE[200] ?? REJECTED;
  }
  if (error.code === 100 && error.subcode === 33) return ACCOUNT_HIDDEN;
  if (transient) return BY_CODE[1] ?? REJECTED;
  return response?.status === 401 ? ["auth", RECONNECT] : REJECTED;
}

/** Rate limits are HTTP 400 responses with the minutes to wait in a usage header. */
function getRetryAt(io: HttpContext, error: MetaError, response: NetworkResponse | null): Date | undefined {
  const now = io.now();
  if (error.subcode === 2207042 || error.code === 9) return new Date(now.getTime() + QUOTA_RETRY_MS);
  const usage = response?.headers.get("x-business-use-case-usage") ?? "";
  const minutes = Math.max(
    0,
    ...[...usage.matchAll(/"estimated_time_to_regain_access":(\d+)/g)].map((m) => Number(m[1])),
  );
  if (minutes > 0) return new Date(now.getTime() + minutes * 60_000);
  return parseRetryAt(response?.headers ?? new Headers(), now);
}

/** Failed containers report their subcode inside a sentence: "Error: Media upload has failed with error code 2207026". */
export function findSubcode(sentence: string | null): number | null {
  const digits = /\b(2207\d{3})\b/.exec(sentence ?? "")?.[1];
  return digits ? Number(digits) : null;
}
