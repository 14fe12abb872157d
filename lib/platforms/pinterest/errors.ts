// Pinterest's error codes, each with its class and a sentence for the customer.
import { call, pickNumber, pickString, type Reply } from "../http.ts";
import { type Failure, type FailureClass, failure, type Job } from "../platform.ts";

export const NETWORK = "Pinterest";

type Meaning = readonly [FailureClass, string];

const AGAIN = "We try again by ourselves.";
const RECONNECT = "Pinterest no longer accepts this account's sign-in. Reconnect the account.";
const NO_BOARD: Meaning = ["content", "Pinterest does not know this board. Choose another `board_id` and post again."];
const NOT_ALLOWED: Meaning = [
  "account",
  "The account may not pin here. Check that the board is its own, or reconnect it and allow publishing.",
];

const BY_CODE: Readonly<Record<number, readonly [string, Meaning]>> = {
  2: ["authentication_failed", ["auth", RECONNECT]],
  3: ["authorization_failed", NOT_ALLOWED],
  29: ["not_permitted", NOT_ALLOWED],
  40: ["board_not_found", NO_BOARD],
};

/** Codes differ between calls and are barely documented; the words are steadier. */
const BY_WORDS: readonly (readonly [RegExp, string, Meaning])[] = [
  [/board.{0,30}not found/i, "board_not_found", NO_BOARD],
  [/suspended|deactivated/i, "account_suspended", ["account", "Pinterest has suspended this account. See its app."]],
  [
    /spam|blocked/i,
    "link_blocked",
    ["content", "Pinterest does not accept the link of the pin. Change `link` or leave it out."],
  ],
  [
    /image|media|video/i,
    "media_refused",
    ["content", "Pinterest could not use the media. Its URL must be readable without signing in: JPEG, PNG or MP4."],
  ],
];

export function expectSuccess(reply: Reply): void {
  if (reply.status >= 400) throw failure(explain(reply));
}

function explain({ status, body }: Reply): Failure {
  const words = pickString(body, "message") ?? "";
  const [code, [kind, message]] = BY_CODE[pickNumber(body, "code") ?? 0] ?? byWords(words, status);
  return { class: kind, code: `pin_${code}`, message };
}

function byWords(words: string, status: number): readonly [string, Meaning] {
  if (status === 401) return ["unauthorized", ["auth", RECONNECT]];
  for (const [pattern, code, meaning] of BY_WORDS) if (pattern.test(words)) return [code, meaning];
  if (status === 403) return ["forbidden", NOT_ALLOWED];
  return [
    `http_${status}`,
    ["content", "Pinterest refused the pin. Check title, link and media, or tell support its id."],
  ];
}

function signedOut(code: string): Failure {
  return { class: "auth", code: `pin_${code}`, message: RECONNECT };
}

/** The code by which the token endpoint refuses us, not the account: nothing else signs in there. */
const CLIENT_REFUSED = "2";

export function refreshRefused(reason: string): Failure {
  if (reason === "no_refresh_token") return signedOut(reason);
  if (reason !== CLIENT_REFUSED) return signedOut(`refresh_${reason}`);
  const message = "Pinterest refused this service's own sign-in. We mend that and try again by ourselves.";
  return { class: "transient", code: "pin_client_refused", message };
}

export function uploadLost(code: string): Failure {
  const message = `Pinterest closed the upload before it was complete. ${AGAIN}`;
  return { class: "transient", code: `pin_${code}`, message, restart: true };
}

export function processingFailed(): Failure {
  const message = "Pinterest could not process the video. Use MP4 or MOV with H.264, 4 seconds to 15 minutes.";
  return { class: "content", code: "pin_video_failed", message, restart: true };
}

interface Rest {
  json?: unknown;
  query?: Record<string, string | undefined>;
  irreversible?: boolean;
}

export async function api(job: Job, method: "GET" | "POST", path: string, rest: Rest): Promise<Reply> {
  const reply = await rawApi(job, method, path, rest);
  expectSuccess(reply);
  return reply;
}

/** The answer as it came, for calls in which a refusal has a meaning of its own. */
export function rawApi(job: Job, method: "GET" | "POST", path: string, rest: Rest): Promise<Reply> {
  const url = `${job.network.baseUrl}/v5/${path}`;
  return call(job, { network: NETWORK, method, url, bearer: job.connection.accessToken, ...rest });
}
