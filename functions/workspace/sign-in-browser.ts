// A cookie with two proofs: for which address the browser last asked for a sign-in code, and for which it has signed in. With
// them, other browsers do not use up a person's limits, and the link of a mail signs in only the browser that asked for it.
import { randomBytes } from "node:crypto";
import { readHostCookie, setHostCookie } from "../../lib/http/page.ts";
import { digestsMatch, hmacSha256Hex } from "../../lib/shared/crypto.ts";
import { DAY_SECONDS } from "../../lib/shared/durations.ts";
import type { PageContext } from "./page.ts";
import { requireSecret } from "./session.ts";

const COOKIE = "sign_in_browser";
const COOKIE_SECONDS = 365 * DAY_SECONDS;

interface BrowserCookie {
  browser: string;
  /** When it asked for a code, in milliseconds since the epoch. */
  askedAt: number;
  /** Proves for which address it asked, and when. */
  request: string;
  /** Proves for which address it has signed in. */
  signIn: string;
}

/** The fields in the order of `storeCookie`. A browser without a valid cookie gets a new id and no proofs. */
function readCookie(c: PageContext): BrowserCookie {
  const [, browser = randomBytes(16).toString("base64url"), askedAt = "0", request = "", signIn = ""] =
    /^([\w-]{22})\.(\d{1,15})\.([0-9a-f]{64})?\.([0-9a-f]{64})?$/.exec(readHostCookie(c, c.var.origin, COOKIE) ?? "") ??
    [];
  return { browser, askedAt: Number(askedAt), request, signIn };
}

function storeCookie(c: PageContext, { browser, askedAt, request, signIn }: BrowserCookie): void {
  const options = { sameSite: "Lax", maxAge: COOKIE_SECONDS } as const;
  setHostCookie(c, c.var.origin, COOKIE, [browser, askedAt, request, signIn].join("."), options);
}

/** A keyed hash, which only this service can make. */
const prove = (c: PageContext, facts: (string | number)[]) => hmacSha256Hex(requireSecret(c), facts.join(" "));

/** Notes that this browser asks for a code for the address. */
export function noteCodeRequest(c: PageContext, email: string): void {
  const cookie = readCookie(c);
  const askedAt = c.var.now.getTime();
  storeCookie(c, { ...cookie, askedAt, request: prove(c, ["code", cookie.browser, askedAt, email]) });
}

/** Names the last request of this browser for a code, if it was for this address and its code is still valid; or null. */
export function findCodeRequest(c: PageContext, email: string, codeSeconds: number): string | null {
  const { browser, askedAt, request } = readCookie(c);
  if (c.var.now.getTime() - askedAt > codeSeconds * 1000) return null;
  return digestsMatch(request, prove(c, ["code", browser, askedAt, email])) ? `${browser} ${askedAt}` : null;
}

/** Notes that the person of the address has signed in here. */
export function noteSignIn(c: PageContext, email: string): void {
  const cookie = readCookie(c);
  storeCookie(c, { ...cookie, signIn: prove(c, ["signed in", cookie.browser, email]) });
}

/** The id of the browser, if the person of the address has signed in here before; or null. */
export function findKnownBrowser(c: PageContext, email: string): string | null {
  const { browser, signIn } = readCookie(c);
  return digestsMatch(signIn, prove(c, ["signed in", browser, email])) ? browser : null;
}
