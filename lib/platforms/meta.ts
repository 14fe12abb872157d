// Meta's error envelope and its codes: shared by the networks that speak the Graph API.
import { type Io, isObject, pick, pickNumber, type Reply, retryAt } from "./http.ts";
import { type Failure, type FailureClass, failure } from "./platform.ts";

export type Meaning = readonly [FailureClass, string];

/** What one network means by its codes where that differs from, or adds to, the shared tables. */
export interface Dialect {
  codes: Readonly<Record<number, Meaning>>;
  subcodes: Readonly<Record<number, Meaning>>;
  /** Subcodes that say nothing about whether the call took effect. */
  vague: ReadonlySet<number>;
}

const AGAIN = "We try again by ourselves.";
const RECONNECT = "The account's sign-in is no longer accepted. Reconnect the account.";

/** Codes that say "our fault" and nothing about whether the call took effect. */
const VAGUE_CODES: ReadonlySet<number> = new Set([-1, 1, 2]);

const BY_SUBCODE: Readonly<Record<number, Meaning>> = {
  2207001: ["account", "The network took the post for spam. Look into its app, change the post and retry."],
  2207003: ["transient", `Fetching the media took too long. ${AGAIN}`],
  2207004: ["content", "The image is too large. Give one of at most 8 MiB."],
  2207005: ["content", "The image format is not supported. Use JPEG."],
  2207006: ["transient", `The network does not know the upload. ${AGAIN}`],
  2207008: ["transient", `The network does not know the upload. ${AGAIN}`],
  2207009: ["content", "The image's shape is not accepted. Use a ratio between 4:5 and 1.91:1."],
  2207010: ["content", "The caption is too long. Shorten it to 2,200 characters."],
  2207020: ["transient", `The upload expired before it was published. ${AGAIN}`],
  2207023: ["content", "The media type is not known to the network. Choose another post type."],
  2207026: ["content", "The video format is not supported. Use MP4 or MOV with H.264 and AAC."],
  2207027: ["transient", `The network still works on the media. ${AGAIN}`],
  2207028: ["content", "The images do not work as a carousel. Give 2 to 10 of them."],
  2207032: ["transient", `The network could not make the post. ${AGAIN}`],
  2207040: ["content", "The caption mentions too many accounts. Use at most 20."],
  2207042: ["rate_limited", "The account's daily posting limit is reached. We try again later."],
  2207050: ["account", "The account is restricted. Open the network's app and resolve it, then retry."],
  2207051: ["account", "The network blocks this account for unusual activity. Look into its app, then retry."],
  2207052: ["content", "The media could not be fetched. Its URL must be readable without signing in."],
  2207053: ["transient", `The upload failed. ${AGAIN}`],
  2207057: ["content", "The cover offset lies outside the video. Choose one within its length."],
  2207076: ["content", "The video could not be processed. Use MP4 or MOV with H.264 and AAC."],
  2207077: ["content", "The media could not be fetched. Its URL must be readable without signing in."],
  2207081: ["content", "The account can not post trial reels. Post it as an ordinary reel."],
  2207082: ["transient", `The upload failed. ${AGAIN}`],
};

const BY_CODE: Readonly<Record<number, Meaning>> = {
  [-2]: ["transient", `The network could not fetch the media in time. ${AGAIN}`],
  [-1]: ["transient", `The network had an internal error. ${AGAIN}`],
  1: ["transient", `The network had an internal error. ${AGAIN}`],
  2: ["transient", `The network is out of service. ${AGAIN}`],
  4: ["rate_limited", `The network takes no more calls now. ${AGAIN}`],
  9: ["rate_limited", "The account's daily posting limit is reached. We try again later."],
  10: ["account", "The account has not granted posting. Reconnect it and allow publishing."],
  17: ["rate_limited", `The network takes no more calls for this account now. ${AGAIN}`],
  25: ["account", "The account is restricted. Open the network's app and resolve it, then retry."],
  32: ["rate_limited", `The network takes no more calls now. ${AGAIN}`],
  102: ["auth", RECONNECT],
  190: ["auth", RECONNECT],
  200: ["account", "The account has not granted posting. Reconnect it and allow publishing."],
  352: ["content", "The video format is not supported. Use MP4 or MOV with H.264 and AAC."],
  368: ["account", "The network blocks this account for a while. Look into its app, then retry."],
  613: ["rate_limited", `The network takes no more calls now. ${AGAIN}`],
  9004: ["content", "The media could not be fetched. Its URL must be readable without signing in."],
  9007: ["transient", `The network still works on the media. ${AGAIN}`],
  36000: ["content", "The image is too large. Give one of at most 8 MiB."],
  36001: ["content", "The image format is not supported. Use JPEG."],
  36003: ["content", "The image's shape is not accepted. Use a ratio between 4:5 and 1.91:1."],
  36004: ["content", "The caption is too long. Shorten it to 2,200 characters."],
  80002: ["rate_limited", `The network takes no more calls for this account now. ${AGAIN}`],
};

const QUOTA_RETRY_MS = 3_600_000;

/** A token that has an end lives for 60 days, and only a living one is traded for the next. */
export const RENEW_AHEAD_MS = 30 * 24 * 3_600_000;
const REFUSED: Meaning = ["content", "The network refused the post. Please tell support, with the id of the post."];
const MISSING: Meaning = ["account", "The network does not show this account to us. Reconnect the account."];

export interface MetaError {
  code: number | null;
  subcode: number | null;
}

export function metaError(body: Record<string, unknown>): MetaError | null {
  if (!isObject(body.error)) return null;
  return { code: pickNumber(body, "error", "code"), subcode: pickNumber(body, "error", "error_subcode") };
}

/** Throws unless the answer is a success. `prefix` marks the codes of one network: `ig_2207010`. */
export function expectSuccess(
  io: Io,
  reply: Reply,
  context: { prefix: string; irreversible: boolean; dialect?: Dialect },
): void {
  const error = metaError(reply.body);
  if (!error && reply.status < 400) return;
  const { prefix, irreversible, dialect } = context;
  const failed = explainMeta(io, prefix, error ?? { code: null, subcode: null }, reply, dialect);
  throw failure(irreversible && mayHaveWorked(error, dialect) ? { ...failed, class: "unanswered" } : failed);
}

/** A vague error, or one about an upload that is gone, may follow from a publish that worked. */
function mayHaveWorked(error: MetaError | null, dialect: Dialect | undefined): boolean {
  if (!error) return false;
  if (error.subcode !== null && dialect?.vague.has(error.subcode)) return true;
  if (error.subcode === 2207006 || error.subcode === 2207008) return true;
  return error.code !== null && VAGUE_CODES.has(error.code) && !isFinal(error.subcode, dialect);
}

function isFinal(subcode: number | null, dialect: Dialect | undefined): boolean {
  const kind = subcode === null ? undefined : (dialect?.subcodes[subcode] ?? BY_SUBCODE[subcode])?.[0];
  return kind !== undefined && kind !== "transient";
}

export function explainMeta(io: Io, prefix: string, error: MetaError, reply: Reply | null, dialect?: Dialect): Failure {
  const name = error.subcode ?? error.code ?? `http_${reply?.status ?? 0}`;
  const [kind, message] = meaningOf(error, reply, dialect);
  const failed: Failure = { class: kind, code: `${prefix}_${name}`, message };
  return kind === "rate_limited" ? { ...failed, retryAt: backAt(io, error, reply) } : failed;
}

function meaningOf(error: MetaError, reply: Reply | null, dialect: Dialect | undefined): Meaning {
  const transient = reply !== null && pick(reply.body, "error", "is_transient") === true;
  // Meta's own page calls 2207001 a server error, others met it as a spam verdict: the flag tells them apart.
  if (transient && error.subcode === 2207001) return BY_CODE[1] ?? REFUSED;
  const { code, subcode } = error;
  const known =
    (subcode !== null && (dialect?.subcodes[subcode] ?? BY_SUBCODE[subcode])) ||
    (code !== null && (dialect?.codes[code] ?? BY_CODE[code]));
  if (known) return known;
  if (error.code === 100 && error.subcode === 33) return MISSING;
  if (transient) return BY_CODE[1] ?? REFUSED;
  return reply?.status === 401 ? ["auth", RECONNECT] : REFUSED;
}

/** Rate limits come as HTTP 400, with the minutes to wait in a usage header. */
function backAt(io: Io, error: MetaError, reply: Reply | null): Date | undefined {
  const now = io.now();
  if (error.subcode === 2207042 || error.code === 9) return new Date(now.getTime() + QUOTA_RETRY_MS);
  const usage = reply?.headers.get("x-business-use-case-usage") ?? "";
  const minutes = Math.max(
    0,
    ...[...usage.matchAll(/"estimated_time_to_regain_access":(\d+)/g)].map((m) => Number(m[1])),
  );
  if (minutes > 0) return new Date(now.getTime() + minutes * 60_000);
  return retryAt(reply?.headers ?? new Headers(), now);
}

/** Failed containers name their subcode inside a sentence: "Error: Media upload has failed with error code 2207026". */
export function subcodeIn(sentence: string | null): number | null {
  const digits = /\b(2207\d{3})\b/.exec(sentence ?? "")?.[1];
  return digits ? Number(digits) : null;
}
