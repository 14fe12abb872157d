// The envelope around every answer, and the only place that writes it.
import type { Refusal } from "./errors.ts";

export type SuccessStatus = 200 | 201 | 202;

export interface Answer {
  status: number;
  headers: Record<string, string>;
  body: string;
}

export function success(status: SuccessStatus, message: string, data: unknown): Answer {
  return { status, headers: {}, body: JSON.stringify({ ok: true, code: status, message, data }) };
}

export function failed(refusal: Refusal): Answer {
  const { issues, fields, retry_after_seconds, headers } = refusal.extra;
  return {
    status: refusal.status,
    headers: {
      ...(retry_after_seconds === undefined ? {} : { "Retry-After": String(retry_after_seconds) }),
      ...headers,
    },
    body: JSON.stringify({
      ok: false,
      code: refusal.status,
      message: refusal.message,
      error_code: refusal.code,
      issues,
      fields,
      retry_after_seconds,
    }),
  };
}

/** A caller's own request id when it is 1-128 of `A-Za-z0-9._-`, else a new one. */
export function requestIdFrom(header: string | undefined): string {
  return header && /^[A-Za-z0-9._-]{1,128}$/.test(header) ? header : crypto.randomUUID();
}

export function toResponse(answer: Answer, requestId: string): Response {
  return new Response(answer.body, {
    status: answer.status,
    headers: {
      "Content-Type": "application/json; charset=utf-8",
      "Cache-Control": "no-store",
      ...answer.headers,
      "X-Request-Id": requestId,
    },
  });
}
