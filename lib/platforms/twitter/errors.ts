// X's problem details and upload errors, each with its class and a sentence for the customer.
import { type Io, pickList, pickString, type Reply, retryAt } from "../http.ts";
import { type Failure, type FailureClass, failure } from "../platform.ts";

export const NETWORK = "X";

type Meaning = readonly [FailureClass, string];

const AGAIN = "We try again by ourselves.";
const RECONNECT = "X no longer accepts this account's sign-in. Reconnect the account.";
const QUOTA_RETRY_MS = 3_600_000;

const USED_UP: Meaning = ["rate_limited", "The number of posts that X sells to this service is used up for now."];

/** By the last part of the problem's `type`, which is stable where titles and details are not. */
const BY_TYPE: Readonly<Record<string, Meaning>> = {
  "usage-capped": USED_UP,
  credits: USED_UP,
  "client-forbidden": ["account", "X does not let this service post for the account. Please tell support."],
  "unsupported-authentication": ["account", "The account is connected in a way that can not post. Reconnect it."],
  "user-suspended": ["account", "X has suspended this account. Resolve it on x.com, then retry."],
  "account-suspended": ["account", "X has suspended this account. Resolve it on x.com, then retry."],
  "account-locked": ["account", "X has locked this account. Unlock it on x.com, then retry."],
  "not-authorized-for-resource": ["account", "The account may not post there. Check the community and its rules."],
  "oauth1-permissions": ["account", "The account has not granted posting. Reconnect it and allow publishing."],
};

/** By what the detail says, for the many refusals that X gives no type of their own. */
const BY_DETAIL: readonly (readonly [RegExp, string, Meaning])[] = [
  [
    /duplicate content/i,
    "duplicate_content",
    [
      "content",
      "X already shows a post with this text on the account. If it is this post, nothing is left to do; else change the caption and post again.",
    ],
  ],
  [/suspended/i, "user_suspended", ["account", "X has suspended this account. Resolve it on x.com, then retry."]],
  [/\blocked\b/i, "account_locked", ["account", "X has locked this account. Unlock it on x.com, then retry."]],
  [
    /automated|spam/i,
    "automated_content",
    ["account", "X took the post for automated. Look at the account on x.com, then retry."],
  ],
  [
    /(too|280 char|text).{0,40}(long|short|limit)/i,
    "text_too_long",
    ["content", "X finds the text too long. Shorten the caption and post again."],
  ],
  [
    /invalid url|malicious|harmful/i,
    "invalid_url",
    ["content", "X does not accept a link in the caption. Remove it and post again."],
  ],
  [
    /community/i,
    "community_refused",
    ["content", "The account may not post to this community. Join it on X or leave `community` out."],
  ],
  [
    /paid.?partnership/i,
    "paid_partnership_refused",
    ["content", "The account may not mark paid partnerships. Leave `paid_partnership` out."],
  ],
  [
    /reply.?settings/i,
    "reply_settings_refused",
    ["content", "The account may not limit replies this way. Choose another."],
  ],
  [
    /oauth|scope|permission/i,
    "not_permitted",
    ["account", "The account has not granted posting. Reconnect it and allow publishing."],
  ],
];

const MEDIA_GONE = /media.?ids?.{0,40}(invalid|expired|not found)/i;

/** Throws unless the answer is a success; X may answer 200 and still name only errors. */
export function expectSuccess(io: Io, reply: Reply): void {
  const failedOnly = reply.body.data === undefined && pickList(reply.body, "errors").length > 0;
  if (reply.status < 400 && !failedOnly) return;
  throw failure(explain(io, reply));
}

function explain(io: Io, reply: Reply): Failure {
  const [first] = pickList(reply.body, "errors");
  const detail = [
    pickString(reply.body, "detail"),
    pickString(first, "message"),
    pickString(first, "detail"),
    pickString(reply.body, "title"),
    pickString(reply.body, "error"),
  ]
    .filter(Boolean)
    .join(" ");
  const type = (pickString(reply.body, "type") ?? pickString(first, "type") ?? "").split("/").at(-1) ?? "";
  if (MEDIA_GONE.test(detail)) {
    const message = `X no longer holds the uploaded media. ${AGAIN}`;
    return { class: "transient", code: "x_media_expired", message, restart: true };
  }
  const [code, [kind, message]] = meaningOf(type, detail, reply.status);
  if (kind !== "rate_limited") return { class: kind, code: `x_${code}`, message };
  const later = reply.headers.has("x-rate-limit-reset") ? retryAt(reply.headers, io.now()) : inAnHour(io);
  return { class: kind, code: `x_${code}`, message: `${message} ${AGAIN}`, retryAt: later };
}

function inAnHour(io: Io): Date {
  return new Date(io.now().getTime() + QUOTA_RETRY_MS);
}

function meaningOf(type: string, detail: string, status: number): [string, Meaning] {
  const byType = BY_TYPE[type];
  if (byType) return [type.replaceAll("-", "_"), byType];
  if (status === 401) return ["unauthorized", ["auth", RECONNECT]];
  if (status === 402) return ["credits", USED_UP];
  for (const [pattern, code, meaning] of BY_DETAIL) if (pattern.test(detail)) return [code, meaning];
  if (status === 403) return ["forbidden", ["account", "X does not let this account do this. Look at it on x.com."]];
  if (status === 413) return ["media_too_large", ["content", "X finds the file too large. Give a smaller one."]];
  return [`http_${status}`, ["content", "X refused the post. Please check caption and media, or tell support its id."]];
}

/** Why X could not process an upload; what it made of the file is over. */
export function processingFailed(info: unknown): Failure {
  const name = pickString(info, "error", "name") ?? "unknown";
  const code = `x_${name.replaceAll(/(?<=[a-z])(?=[A-Z])/g, "_").toLowerCase()}`;
  if (name === "InternalError" || name === "unknown") {
    return { class: "transient", code, message: `X could not process the media. ${AGAIN}`, restart: true };
  }
  const message = "X could not read the media. Use MP4 or MOV with H.264 and AAC, or JPEG, PNG, WebP or GIF.";
  return { class: "content", code, message, restart: true };
}

/** The codes by which the token endpoint refuses us, not the account: reconnecting would mend nothing. */
const OURS: ReadonlySet<string> = new Set(["invalid_client", "unauthorized_client"]);

export function refreshRefused(error: string): Failure {
  if (OURS.has(error)) {
    return { class: "transient", code: `x_${error}`, message: `X does not know this service's sign-in. ${AGAIN}` };
  }
  return { class: "auth", code: `x_${error}`, message: RECONNECT };
}
