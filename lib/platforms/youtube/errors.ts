// YouTube's error reasons and processing verdicts, each with its class and a sentence for the customer.
import { type Io, pick, pickList, pickString, type Reply, retryAt } from "../http.ts";
import { type Failure, type FailureClass, failure } from "../platform.ts";

type Meaning = readonly [FailureClass, string];

const AGAIN = "We try again by ourselves.";
const RECONNECT = "YouTube no longer accepts this account's sign-in. Reconnect the account.";
const GRANT = "The account has not granted uploads. Reconnect it and allow publishing.";
const OURS = "YouTube refused the request. Please tell support, with the id of the post.";
const RIGHTS = "YouTube refused the video for its content. See YouTube Studio for the reason; post another video.";
const HOURS = 3_600_000;

/** The account's daily limit is a rolling window whose end YouTube does not tell. */
const ACCOUNT_LIMIT_RETRY_MS = 6 * HOURS;

const REASONS: Readonly<Record<string, Meaning>> = {
  quotaExceeded: ["rate_limited", "The daily YouTube quota of this service is used up until midnight Pacific time."],
  dailyLimitExceeded: [
    "rate_limited",
    "The daily YouTube quota of this service is used up until midnight Pacific time.",
  ],
  uploadLimitExceeded: ["rate_limited", "The account's daily number of uploads is reached. We try again later."],
  rateLimitExceeded: ["rate_limited", `YouTube takes no more calls right now. ${AGAIN}`],
  userRateLimitExceeded: ["rate_limited", `YouTube takes no more calls for this account right now. ${AGAIN}`],
  authError: ["auth", RECONNECT],
  authorizationRequired: ["auth", RECONNECT],
  youtubeSignupRequired: ["account", "The Google account has no YouTube channel. Create one, then retry the post."],
  channelSuspended: ["account", "YouTube has suspended this channel. See YouTube Studio."],
  channelClosed: ["account", "This channel was closed. Connect another one and post there."],
  authenticatedUserAccountSuspended: ["account", "YouTube has suspended this account. See YouTube Studio."],
  authenticatedUserAccountClosed: ["account", "This YouTube account was closed. Connect another one."],
  forbidden: ["account", "YouTube does not let this account upload. See YouTube Studio, then retry the post."],
  insufficientPermissions: ["account", GRANT],
  forbiddenPrivacySetting: ["content", "YouTube does not take this privacy here. Choose another one."],
  invalidTitle: ["content", "YouTube refused the title. Use 1 to 100 characters without < and >."],
  invalidDescription: ["content", "YouTube refused the description. Use at most 5,000 bytes without < and >."],
  invalidTags: ["content", "YouTube refused the tags. Use at most 500 characters in total, without < and >."],
  invalidCategoryId: ["content", "YouTube does not know this category. Choose another categoryId."],
  invalidVideoMetadata: ["content", "YouTube refused the settings of the video. Check title, category and options."],
  invalidFilename: ["content", "YouTube refused the file. Use MP4 or MOV."],
  mediaBodyRequired: ["content", "YouTube got no video. Upload the file again and post anew."],
  backendError: ["transient", `YouTube had an internal error. ${AGAIN}`],
  internalError: ["transient", `YouTube had an internal error. ${AGAIN}`],
};

/** Why a video that arrived never comes out: `failureReason` and `rejectionReason`. */
const VERDICTS: Readonly<Record<string, Meaning>> = {
  codec: ["content", "YouTube does not know the codec of the video. Use H.264 with AAC."],
  conversion: ["content", "YouTube could not convert the video. Export it anew, with H.264 and AAC."],
  emptyFile: ["content", "YouTube got an empty file. Upload the file again and post anew."],
  invalidFile: ["content", "YouTube could not read the file. Use MP4 or MOV with H.264 and AAC."],
  tooSmall: ["content", "The file is too small to be a video. Upload another one."],
  uploadAborted: ["transient", `The upload was cut off. ${AGAIN}`],
  claim: ["content", RIGHTS],
  copyright: ["content", RIGHTS],
  trademark: ["content", RIGHTS],
  legal: ["content", RIGHTS],
  inappropriate: ["content", RIGHTS],
  termsOfUse: ["content", RIGHTS],
  duplicate: ["content", "YouTube took the video for one that the channel already has. Post another one."],
  length: ["content", "The video is longer than the account may post. Confirm the account at YouTube, or cut it."],
  uploaderAccountClosed: ["account", "This YouTube account was closed. Connect another one."],
  uploaderAccountSuspended: ["account", "YouTube has suspended this account. See YouTube Studio."],
  deleted: ["account", "The video was deleted at YouTube before it was ready. Retry the post if that was not meant."],
};

/** Throws unless an answer is a success. */
export function expectOk(io: Io, reply: Reply): void {
  if (reply.status < 400) return;
  const [first] = pickList(reply.body, "error", "errors");
  const code = pickString(first, "reason") ?? `http_${reply.status}`;
  throw failure(explain(io, code, reply));
}

/** What the network said of a video that arrived and failed: nothing is out, the session is used up. */
export function verdict(reason: string): Failure {
  const [kind, message] = VERDICTS[reason] ?? ["content", "YouTube could not use the video. See YouTube Studio."];
  return { class: kind, code: reason, message, restart: true };
}

export function signedOut(code: string): Failure {
  return { class: "auth", code, message: RECONNECT };
}

function explain(io: Io, code: string, reply: Reply): Failure {
  const [kind, message] = REASONS[code] ?? fallback(reply);
  if (kind !== "rate_limited") return { class: kind, code, message };
  return { class: kind, code, message, retryAt: laterThan(io.now(), code, reply) };
}

function laterThan(now: Date, code: string, reply: Reply): Date | undefined {
  if (code === "quotaExceeded" || code === "dailyLimitExceeded") return nextMidnightPacific(now);
  if (code === "uploadLimitExceeded") return new Date(now.getTime() + ACCOUNT_LIMIT_RETRY_MS);
  return retryAt(reply.headers, now);
}

function fallback({ status, body }: Reply): Meaning {
  if (status === 401) return ["auth", RECONNECT];
  if (status === 403) {
    const scopes = pick(body, "error", "status") === "PERMISSION_DENIED";
    return ["account", scopes ? GRANT : "YouTube does not let this account do this. See YouTube Studio."];
  }
  return ["content", OURS];
}

const DAY = 24 * HOURS;
const CLOCK = {
  timeZone: "America/Los_Angeles",
  hourCycle: "h23",
  hour: "numeric",
  minute: "numeric",
  second: "numeric",
} as const;

/** When YouTube's quotas begin anew; right on the days that have 23 or 25 hours too. */
export function nextMidnightPacific(now: Date): Date {
  const guess = now.getTime() + DAY - sinceMidnight(now);
  const off = sinceMidnight(new Date(guess));
  return new Date(guess - (off < DAY / 2 ? off : off - DAY));
}

function sinceMidnight(at: Date): number {
  const parts = Object.fromEntries(
    new Intl.DateTimeFormat("en-US", CLOCK).formatToParts(at).map(({ type, value }) => [type, Number(value)]),
  );
  const { hour = 0, minute = 0, second = 0 } = parts;
  return (hour * 3600 + minute * 60 + second) * 1000 + at.getUTCMilliseconds();
}
