// Response formats, link shortening and multipart parsing of the simulated X.
import parseTweet from "@ambassify/twitter-text/dist/parseTweet.js";
import { HOUR_MS } from "../../shared/durations.ts";
import type { NetworkRequest, NetworkResponse } from "./network.ts";

/** https://help.x.com/en/using-x/edit-post and https://docs.x.com/x-api/fundamentals/edit-posts, read 2026-11-28. */
export const EDIT_WINDOW_MS = HOUR_MS;
export const MAX_EDITS = 5;

export const REPLY_SETTINGS = ["following", "mentionedUsers", "subscribers", "verified"];
export const TWEET_KEYS = [
  ...["text", "media", "reply", "reply_settings", "made_with_ai", "paid_partnership", "edit_options"],
];

export function okResponse(data: unknown): NetworkResponse {
  return { status: 200, body: { data } };
}

const TITLES: Record<number, string> = {
  400: "Invalid Request",
  401: "Unauthorized",
  402: "CreditsDepleted",
  403: "Forbidden",
  404: "Not Found Error",
  413: "Payload Too Large",
  429: "Too Many Requests",
  503: "Service Unavailable",
};

/** A problem in X's format; invalid requests repeat the reason in a list. */
export function problemResponse(status: number, type: string, detail: string): NetworkResponse {
  const body = {
    title: TITLES[status] ?? "Error",
    detail: type === "invalid-request" ? "One or more parameters to your request was invalid." : detail,
    type: type ? `https://api.twitter.com/2/problems/${type}` : "about:blank",
    status,
    ...(type === "invalid-request" ? { errors: [{ parameters: {}, message: detail }] } : {}),
  };
  return { status, body, headers: { "content-type": "application/problem+json" } };
}

export const invalidRequest = (detail: string): NetworkResponse => problemResponse(400, "invalid-request", detail);

const ERRORS: Record<string, readonly [number, string, string]> = {
  "duplicate-content": [403, "", "You are not allowed to create a Tweet with duplicate content."],
  "user-suspended": [403, "", "Your account is suspended and is not permitted to access this feature."],
  "account-locked": [403, "", "To protect our users from spam, your account has been locked."],
  "usage-capped": [403, "usage-capped", "Usage cap exceeded: Monthly product cap"],
  credits: [402, "credits", "Your enrolled account does not have any credits to fulfill this request."],
  "client-forbidden": [403, "client-forbidden", "This request must be made using an approved developer account."],
  // The two texts are X's own: https://docs.x.com/x-api/media/quickstart/best-practices and
  // https://github.com/10up/autoshare-for-twitter/issues/387, read 2026-11-24.
  "video-too-long": [403, "", "This user is not allowed to post a video longer than 20 minutes."],
  "unknown-authentication": [
    403,
    "unsupported-authentication",
    "Authenticating with Unknown is forbidden for this endpoint.  Supported authentication types are [OAuth 1.0a User Context, OAuth 2.0 User Context].",
  ],
  "not-permitted": [403, "", "You are not permitted to perform this action."],
  scope: [403, "", "Your client app is not configured with the appropriate oauth1 app permissions for this endpoint."],
  "media-expired": [400, "invalid-request", "Your media IDs are invalid."],
  "text-too-long": [400, "invalid-request", "Your text is too long."],
  "invalid-url": [400, "invalid-request", "The Tweet contains an invalid URL."],
  "token-expired": [401, "", "Unauthorized"],
};

export function namedError(code: string): NetworkResponse {
  const [status, type, detail] = ERRORS[code] ?? [400, "invalid-request", `Scripted error ${code}`];
  return problemResponse(status, type, detail);
}

export function rateLimitError(now: number, limit: number): NetworkResponse {
  const reset = Math.floor(now / 1000) + 900;
  const headers = {
    "x-rate-limit-limit": String(limit),
    "x-rate-limit-remaining": "0",
    "x-rate-limit-reset": String(reset),
  };
  return { ...problemResponse(429, "", "Too Many Requests"), headers };
}

export function measureWeightedLength(text: string): number {
  return parseTweet(text).weightedLength;
}

/** Returns the text as X does: escaped, with shortened links and a link to the media at the end. */
export function shortenLinks(text: string, withMedia: boolean) {
  const urls: { url: string; expanded_url: string }[] = [];
  const escaped = text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
  const short = escaped.replaceAll(/(https?:\/\/)?\b[a-z0-9-]+\.(?:com|org|de)\b[^\s]*/gi, (match, scheme?: string) => {
    const url = `https://t.co/${urls.length}abcdefgh`;
    urls.push({ url, expanded_url: scheme ? match.replaceAll("&amp;", "&") : `http://${match}` });
    return url;
  });
  return { text: withMedia ? `${short} https://t.co/media12345` : short, urls };
}

/** Reads the fields and the single file of a multipart body. */
export async function readMultipart(
  request: NetworkRequest,
): Promise<{ fields: Record<string, string>; file: Buffer | null }> {
  try {
    const headers = { "content-type": request.headers.get("content-type") ?? "" };
    const form = await new Response(new Uint8Array(request.body), { headers }).formData();
    const fields: Record<string, string> = {};
    let file: Buffer | null = null;
    for (const [name, value] of form) {
      if (typeof value === "string") fields[name] = value;
      else file = Buffer.from(await (value as Blob).arrayBuffer());
    }
    return { fields, file };
  } catch {
    return { fields: {}, file: null };
  }
}
