// LinkedIn's error codes, each with its class and a sentence for the customer.
import { pickList, pickString, type Reply } from "../http.ts";
import { type Failure, type FailureClass, failure } from "../platform.ts";

type Meaning = readonly [FailureClass, string];

const RECONNECT = "LinkedIn no longer accepts this account's sign-in. Reconnect the account.";
const GRANT = "LinkedIn does not let this account post. Reconnect it and allow publishing; for a page, as its admin.";
const OURS = "LinkedIn refused the request. Please tell support, with the id of the post.";

export const DUPLICATE = "DUPLICATE_POST";

const MEANINGS: Readonly<Record<string, Meaning>> = {
  [DUPLICATE]: ["content", "LinkedIn already has this post from the account. Change the text and post again."],
  EMPTY_ACCESS_TOKEN: ["auth", RECONNECT],
  INVALID_ACCESS_TOKEN: ["auth", RECONNECT],
  EXPIRED_ACCESS_TOKEN: ["auth", RECONNECT],
  REVOKED_ACCESS_TOKEN: ["auth", RECONNECT],
  ACCESS_DENIED: ["account", GRANT],
  MEMBER_RESTRICTED: ["account", "LinkedIn has restricted this account. Look into LinkedIn, then retry the post."],
  FIELD_LENGTH_TOO_LONG: ["content", "LinkedIn takes at most 3,000 characters. Shorten the text."],
  INVALID_VALUE_FOR_FIELD: ["content", "LinkedIn refused the settings of the post. Check visibility and media."],
  MISSING_REQUIRED_FIELD: ["content", OURS],
  MEDIA_ASSET_WAITING_UPLOAD: ["transient", "LinkedIn still waits for the media. We try again by ourselves."],
  MEDIA_ASSET_PROCESSING_FAILED: ["content", "LinkedIn could not use the media. Use MP4 for video; JPEG, PNG or GIF."],
  // Ours to mend: the version in our calls has ended.
  NONEXISTENT_VERSION: ["content", OURS],
  VERSION_MISSING: ["content", OURS],
};

/** Throws unless an answer is a success. */
export function expectOk(reply: Reply): void {
  if (reply.status < 400) return;
  throw failure(explain(reply));
}

export function explain({ status, body }: Reply): Failure {
  const code = codeOf(status, body);
  const [kind, message] = MEANINGS[code] ?? fallback(status);
  return { class: kind, code, message };
}

/** The code lies in the first input error, or beside the message; old errors have a number only. */
function codeOf(status: number, body: Record<string, unknown>): string {
  const [first] = pickList(body, "errorDetails", "inputErrors");
  const code = pickString(first, "code") ?? pickString(body, "code") ?? pickString(body, "serviceErrorCode");
  return code ?? `http_${status}`;
}

function fallback(status: number): Meaning {
  if (status === 401) return ["auth", RECONNECT];
  if (status === 403) return ["account", GRANT];
  return ["content", OURS];
}

/** The post that a duplicate refusal names. */
export function duplicateOf({ body }: Reply): string | null {
  return /urn:li:(?:share|ugcPost):\d+/.exec(pickString(body, "message") ?? "")?.[0] ?? null;
}

export function signedOut(code: string): Failure {
  return { class: "auth", code, message: RECONNECT };
}
