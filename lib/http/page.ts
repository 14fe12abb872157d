// Responses that are pages for people, and the cookie of the browser that they are shown in.

import type { Context, Next } from "hono";
import { bodyLimit } from "hono/body-limit";
import { deleteCookie, getCookie, setCookie } from "hono/cookie";
import type { CookieOptions } from "hono/utils/cookie";
import { type ApiError, apiError, toApiError } from "../shared/errors.ts";
import { formatError } from "../shared/format-error.ts";
import { SECURITY_HEADERS } from "./envelope.ts";
import type { PipelineEnv } from "./pipeline-state.ts";

/** Forms of pages have a few short fields. */
export const limitForm = bodyLimit({
  maxSize: 64 * 1024,
  onError() {
    throw apiError("payload_too_large", "This is larger than 64 KiB, which no form of a page is. Shorten the text.");
  },
});

const FORM_TYPE = /^(multipart\/form-data|application\/x-www-form-urlencoded)\b/i;

/** Parses the form of a request, so that its handler can: Hono keeps what is parsed. Throws 400 for a broken form. */
export async function readForm(c: Context, next: Next): Promise<void> {
  if (FORM_TYPE.test(c.req.header("content-type") ?? "")) {
    const form = await c.req.formData().catch(() => null);
    if (!form)
      throw apiError("invalid_request", "The form could not be read. Open the page again, and send it from there.");
    for (const text of form.values()) {
      if (typeof text === "string" && text.includes("\0"))
        throw apiError("invalid_request", "A field has a character that cannot be stored (NUL). Type the text again.");
    }
  }
  await next();
}

/**
 * Browsers name the origin of the page with every request that may change something. Whatever the content type, requests of
 * other pages are rejected, and those that name none.
 */
export function isFromOwnPage(c: Context, origin: string): boolean {
  const isRead = c.req.method === "GET" || c.req.method === "HEAD";
  return isRead || c.req.header("origin") === origin;
}

type PageContext = Context<PipelineEnv>;

/**
 * Over https, cookies have the prefix `__Host-`, so that no other host of the domain can set them. Browsers accept it over
 * https only: https://datatracker.ietf.org/doc/html/draft-ietf-httpbis-rfc6265bis-20#section-4.1.3.2, read 2026-11-28.
 */
export function getCookiePrefix(origin: string): "__Host-" | "" {
  return origin.startsWith("https:") ? "__Host-" : "";
}

export function readHostCookie(c: Context, origin: string, name: string): string | undefined {
  return getCookie(c, getCookiePrefix(origin) + name);
}

/** No script reads it. */
export function setHostCookie(
  c: Context,
  origin: string,
  name: string,
  value: string,
  options: Required<Pick<CookieOptions, "sameSite" | "maxAge">>,
): void {
  const secure = origin.startsWith("https:");
  setCookie(c, getCookiePrefix(origin) + name, value, { ...options, httpOnly: true, secure, path: "/" });
}

export function deleteHostCookie(c: Context, origin: string, name: string): void {
  deleteCookie(c, getCookiePrefix(origin) + name, { secure: origin.startsWith("https:"), path: "/" });
}

/** Scheme and host that people and networks know this service by. */
export function getPublicOrigin(c: PageContext): string {
  const configured = c.var.services.env.PUBLIC_URL;
  return new URL(configured ?? c.req.url).origin;
}

/**
 * Pages need passkeys and copying of a browser; every other feature is denied to them and to the frames they show.
 * https://www.w3.org/TR/permissions-policy-1/, https://www.w3.org/TR/webauthn-3/#sctn-permissions-policy, read 2026-11-28.
 */
export const PERMISSIONS_POLICY = [
  ...["publickey-credentials-get", "publickey-credentials-create", "clipboard-write", "fullscreen", "autoplay"].map(
    (feature) => `${feature}=(self)`,
  ),
  ...["accelerometer", "camera", "display-capture", "encrypted-media", "geolocation", "gyroscope", "magnetometer"].map(
    (feature) => `${feature}=()`,
  ),
  ...["microphone", "midi", "payment", "picture-in-picture", "screen-wake-lock", "usb", "xr-spatial-tracking"].map(
    (feature) => `${feature}=()`,
  ),
].join(", ");

/** `policy` is the page's Content-Security-Policy. Forms need an Origin header, so the own site gets the referrer. */
export async function sendPage(
  c: PageContext,
  page: string | Promise<string>,
  { status = 200, policy }: { status?: 200 | 400 | 403 | 404 | 410 | 413 | 429 | 500; policy: string },
): Promise<Response> {
  return c.html(await page, status, {
    ...SECURITY_HEADERS,
    "Referrer-Policy": "same-origin",
    "Content-Security-Policy": policy,
    "Permissions-Policy": PERMISSIONS_POLICY,
    "Cache-Control": "no-store",
    "X-Request-Id": c.var.requestId,
  });
}

/** The error that a page reports; anything unexpected is logged and stays private. Null for it. */
export function toPageError(c: PageContext, error: unknown): ApiError | null {
  const reported = toApiError(error);
  if (!reported || reported.status >= 500) c.var.services?.log({ level: "error", error: formatError(error) });
  return reported && reported.status < 500 ? reported : null;
}
