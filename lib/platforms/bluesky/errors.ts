// Bluesky's named errors, each with its class and a sentence for the customer.
import { call, type Io, pickString, type Reply, retryAt } from "../http.ts";
import { type Failure, type FailureClass, failure } from "../platform.ts";

export const NETWORK = "Bluesky";

type Meaning = readonly [FailureClass, string];

const AGAIN = "We try again by ourselves.";
const RECONNECT = "Bluesky no longer accepts this account's sign-in. Reconnect the account.";
const VIDEO_QUOTA_RETRY_MS = 6 * 3_600_000;
const UNREADABLE_VIDEO = "Bluesky could not read the video. Use MP4 with H.264 and AAC, up to 3 minutes and 100 MB.";

const MEANINGS: Readonly<Record<string, Meaning>> = {
  ExpiredToken: ["auth", RECONNECT],
  InvalidToken: ["auth", RECONNECT],
  AuthMissing: ["auth", RECONNECT],
  AuthenticationRequired: ["auth", RECONNECT],
  AuthFactorTokenRequired: ["auth", "The account asks for a sign-in code. Reconnect it with an app password."],
  AccountTakedown: ["account", "Bluesky has taken this account down. See its message in Bluesky's app."],
  AccountSuspended: ["account", "Bluesky has suspended this account. See its message in Bluesky's app."],
  AccountDeactivated: ["account", "The account is deactivated. Activate it in Bluesky's app, then retry."],
  RepoDeactivated: ["account", "The account is deactivated. Activate it in Bluesky's app, then retry."],
  RepoTakendown: ["account", "Bluesky has taken this account down. See its message in Bluesky's app."],
  RepoNotFound: ["account", "Bluesky does not know this account. Reconnect it."],
  unconfirmed_email: ["account", "The account's e-mail address is not confirmed. Confirm it in Bluesky, then retry."],
  RateLimitExceeded: ["rate_limited", `Bluesky takes no more calls for this account now. ${AGAIN}`],
  upload_limit: ["rate_limited", `The account's daily number of videos is reached. ${AGAIN}`],
  BlobTooLarge: ["content", "A file is too large. Images may have 1,000,000 bytes, videos 100 MB."],
  PayloadTooLarge: ["content", "A file is too large. Images may have 1,000,000 bytes, videos 100 MB."],
  InvalidMimeType: ["content", "A file has a type that Bluesky does not take. Use JPEG, PNG or WebP, and MP4."],
  InvalidRecord: ["content", "Bluesky refused the post as malformed. Please tell support, with the id of the post."],
  validation_failure: ["content", UNREADABLE_VIDEO],
  encoding_failure: ["content", UNREADABLE_VIDEO],
  pds_upload_unsupported_blob_size: [
    "content",
    "The account's server takes no video of this size. Give a smaller one.",
  ],
};

export interface Ask {
  method: "GET" | "POST";
  /** The name of the call: `com.atproto.repo.createRecord`. */
  name: string;
  token?: string;
  query?: Record<string, string | undefined>;
  json?: unknown;
  body?: ReadableStream;
  headers?: Record<string, string>;
  timeoutMs?: number;
  irreversible?: boolean;
}

/** One call of the XRPC protocol, whatever it answers. */
export function xrpc(io: Io, host: string, { name, token, ...rest }: Ask): Promise<Reply> {
  return call(io, { network: NETWORK, url: `${host}/xrpc/${name}`, ...(token ? { bearer: token } : {}), ...rest });
}

export function expectSuccess(io: Io, reply: Reply): void {
  if (reply.status < 400) return;
  throw failure(explain(io, nameOf(reply), reply));
}

export function nameOf({ body, status }: Reply): string {
  return pickString(body, "error") ?? `http_${status}`;
}

function explain(io: Io, name: string, reply: Reply): Failure {
  // Blobs that no post names are swept away after a while.
  if (name === "BlobNotFound" || /could not find blob/i.test(pickString(reply.body, "message") ?? "")) {
    const message = `Bluesky no longer holds the uploaded media. ${AGAIN}`;
    return { class: "transient", code: "blob_not_found", message, restart: true };
  }
  const [kind, message] = MEANINGS[name] ?? fallback(reply);
  const failed: Failure = { class: kind, code: codeOf(name), message };
  return kind === "rate_limited" ? { ...failed, retryAt: later(io, name, reply.headers) } : failed;
}

function later(io: Io, name: string, headers: Headers): Date | undefined {
  return name === "upload_limit" ? new Date(io.now().getTime() + VIDEO_QUOTA_RETRY_MS) : retryAt(headers, io.now());
}

function fallback({ status }: Reply): Meaning {
  if (status === 401) return ["auth", RECONNECT];
  if (status === 403) return ["account", "Bluesky does not let this account do this. Look at it in Bluesky's app."];
  if (status === 413) return MEANINGS.PayloadTooLarge ?? ["content", "A file is too large."];
  return ["content", "Bluesky refused the post. Please check caption and media, or tell support its id."];
}

function codeOf(name: string): string {
  return name.replaceAll(/(?<=[a-z])(?=[A-Z])/g, "_").toLowerCase();
}

/** The video service words its refusals freely; this gives them names. */
function nameOfVideoRefusal(reply: Reply): string {
  const words = `${pickString(reply.body, "error") ?? ""} ${pickString(reply.body, "message") ?? ""}`;
  if (/email/i.test(words)) return "unconfirmed_email";
  if (/larger than|too large|maximum allowed/i.test(words)) return "BlobTooLarge";
  if (/daily|limit|quota/i.test(words)) return "upload_limit";
  return nameOf(reply);
}

export function videoRefused(io: Io, reply: Reply): Failure {
  return explain(io, nameOfVideoRefusal(reply), reply);
}

/** Why a video job ended: the video's own fault, or the service's, which is tried again from the start. */
export function jobFailed(name: string): Failure {
  const [kind, message] = MEANINGS[name] ?? ["transient", `Bluesky could not process the video. ${AGAIN}`];
  return { class: kind, code: codeOf(name), message, restart: true };
}

export function signedOut(code: string): Failure {
  return { class: "auth", code, message: RECONNECT };
}
