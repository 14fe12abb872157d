// Maps LinkedIn's error codes to failure classes and messages.
import { type NetworkResponse, pickList, pickString } from "../http.ts";
import { type ErrorMeaning, type Failure, failure } from "../platform.ts";

const RECONNECT = "LinkedIn no longer accepts this account's token. Reconnect the account.";
const GRANT =
  "LinkedIn does not allow this account to post. Reconnect it and allow publishing. To publish to a page, connect it as an admin of the page.";
const VERSION = "LinkedIn no longer supports the version of its API that we use. We are fixing this.";
const OURS = "LinkedIn rejected the request. Contact support with the id of the post.";

export const DUPLICATE = "DUPLICATE_POST";

const MEANINGS: Readonly<Record<string, ErrorMeaning>> = {
  [DUPLICATE]: [
    "content",
    "LinkedIn already has this post from the account. Change the text and create the post again.",
  ],
  EMPTY_ACCESS_TOKEN: ["auth", RECONNECT],
  INVALID_ACCESS_TOKEN: ["auth", RECONNECT],
  EXPIRED_ACCESS_TOKEN: ["auth", RECONNECT],
  REVOKED_ACCESS_TOKEN: ["auth", RECONNECT],
  ACCESS_DENIED: ["account", GRANT],
  MEMBER_RESTRICTED: [
    "account",
    "LinkedIn has restricted this account. Check the account on LinkedIn, then retry the post.",
  ],
  FIELD_LENGTH_TOO_LONG: ["content", "LinkedIn allows at most 3,000 characters. Shorten the text."],
  INVALID_VALUE_FOR_FIELD: ["content", "LinkedIn rejected the settings of the post. Check visibility and media."],
  MISSING_REQUIRED_FIELD: ["content", OURS],
  MEDIA_ASSET_WAITING_UPLOAD: ["transient", "LinkedIn has not received the media yet."],
  MEDIA_ASSET_PROCESSING_FAILED: [
    "content",
    "LinkedIn could not use the media. Use MP4 for videos and JPEG, PNG or GIF for images.",
  ],
};

/** The version in our requests is missing or has ended: the operator has to set LINKEDIN_API_VERSION. */
const VERSION_CODES = new Set(["NONEXISTENT_VERSION", "VERSION_MISSING", "VERSION_DEPRECATED"]);
/** HTTP status of versions that have ended. */
const VERSION_STATUS = 426;
/** A temporary error of the post service that integrations report: a later try succeeds. */
const NO_ACTIVITY = /unable to obtain activity/i;

/** Throws unless the response is a success. */
export function assertSuccess(response: NetworkResponse): void {
  if (response.status < 400) return;
  throw failure(toFailure(response));
}

export function toFailure({ status, body }: NetworkResponse): Failure {
  const code = getErrorCode(status, body);
  if (status === VERSION_STATUS || VERSION_CODES.has(code))
    return { class: "transient", code, message: VERSION, operator: true };
  if (NO_ACTIVITY.test(pickString(body, "message") ?? "")) {
    const message = "LinkedIn could not store the post at the moment.";
    return { class: "transient", code: "no_activity", message, tries: 3 };
  }
  const [kind, message] = MEANINGS[code] ?? getFallbackMeaning(status);
  return { class: kind, code, message };
}

/** The code is in the first input error or at the top level; old errors have a numeric code only. */
function getErrorCode(status: number, body: Record<string, unknown>): string {
  const [first] = pickList(body, "errorDetails", "inputErrors");
  const code = pickString(first, "code") ?? pickString(body, "code") ?? pickString(body, "serviceErrorCode");
  return code ?? `http_${status}`;
}

function getFallbackMeaning(status: number): ErrorMeaning {
  if (status === 401) return ["auth", RECONNECT];
  if (status === 403) return ["account", GRANT];
  return ["content", OURS];
}

/** Returns the URN of the post that a duplicate error names. */
export function findDuplicateUrn({ body }: NetworkResponse): string | null {
  return /urn:li:(?:share|ugcPost):\d+/.exec(pickString(body, "message") ?? "")?.[0] ?? null;
}
