// The JSON envelope of every response.
// Hono's request-id is not used: it rejects the dots that our request ids may contain.
import type { ApiError } from "../shared/errors.ts";

export type SuccessStatus = 200 | 201 | 202;

export interface ApiResponse {
  status: number;
  headers: Record<string, string>;
  body: string;
}

export function successResponse(status: SuccessStatus, message: string, data: unknown): ApiResponse {
  return { status, headers: {}, body: JSON.stringify({ ok: true, code: status, message, data }) };
}

export function errorResponse(error: ApiError): ApiResponse {
  const { issues, fields, more, retry_after_seconds, details, headers } = error.extra;
  return {
    status: error.status,
    headers: {
      ...(retry_after_seconds === undefined ? {} : { "Retry-After": String(retry_after_seconds) }),
      ...headers,
    },
    body: JSON.stringify({
      ok: false,
      code: error.status,
      message: error.message,
      error_code: error.code,
      ...details,
      issues,
      fields,
      more,
      retry_after_seconds,
    }),
  };
}

/** The caller's request id if it is 1 to 128 characters of `A-Za-z0-9._-`, else a new one. */
export function readRequestId(header: string | undefined): string {
  return header && /^[A-Za-z0-9._-]{1,128}$/.test(header) ? header : crypto.randomUUID();
}

/** Headers of every response of the API: it is not a page, and no page may embed it. CORS is off: keys belong on servers. */
export const SECURITY_HEADERS = {
  "Strict-Transport-Security": "max-age=31536000; includeSubDomains",
  "X-Content-Type-Options": "nosniff",
  "Referrer-Policy": "no-referrer",
  "Content-Security-Policy": "default-src 'none'; frame-ancestors 'none'",
};

export function toResponse({ status, headers: own, body }: ApiResponse, requestId: string): Response {
  const headers = {
    ...SECURITY_HEADERS,
    "Content-Type": "application/json; charset=utf-8",
    "Cache-Control": "no-store",
    ...own,
    "X-Request-Id": requestId,
  };
  return new Response(body, { status, headers });
}
