// Checks a response: undocumented, malformed, too large, or with data of another tenant.
import { BASE_PATH } from "../../lib/shared/paths.ts";
import type { HostileRequest } from "./generate-request.ts";
import { findFailureError, matchOperations, type Operation } from "./operations.ts";
import type { Ownership } from "./ownership.ts";
import type { HostileResponse } from "./send.ts";

/** Of errors; a success holds rows of the caller. */
const MAX_ERROR_BYTES = 64 * 1024;
/** 5xx that a healthy stack may return: what failed is a URL or a prompt of the caller's. */
const LEGITIMATE_5XX = new Set(["image_unreachable", "generation_failed", "transcription_failed"]);
const UNROUTED: ReadonlyMap<number, string> = new Map([
  [404, "route_not_found"],
  [405, "method_not_allowed"],
]);

/** One sentence per violation. */
export function checkResponse(request: HostileRequest, response: HostileResponse, ownership: Ownership): string[] {
  const violations = [...checkRequestId(request, response), ...checkSize(response)];
  const candidates = request.rerouted ? matchOperations(request.method, request.path) : [request.operation];
  const outside = candidates.length === 0 && !request.path.toLowerCase().includes(BASE_PATH);
  if (request.method === "HEAD" || outside || isOutsidePage(response)) {
    return [...violations, ...(response.status >= 500 ? [`returned ${response.status}`] : [])];
  }
  const body = parse(response.text);
  if (body === undefined) return [...violations, `the body is not JSON: ${response.text.slice(0, 200)}`];
  violations.push(...checkDocumented(request, candidates, response, body));
  if (request.foreignPath && response.status < 300 && !isPublicRead(request, body)) {
    violations.push("succeeded on a record of another tenant");
  }
  return [...violations, ...ownership.check(request, response.text, response.status)];
}

/** Anybody may read a pack that its owner made public. */
function isPublicRead({ method }: HostileRequest, body: unknown): boolean {
  return method === "GET" && /"is_public":true/.test(JSON.stringify(body));
}

function checkRequestId({ headers }: HostileRequest, response: HostileResponse): string[] {
  const returned = response.headers["x-request-id"];
  if (!returned) return ["no X-Request-Id"];
  const sent = headers["x-request-id"];
  if (sent && /^[A-Za-z0-9._-]{1,128}$/.test(sent))
    return returned === sent ? [] : [`X-Request-Id ${returned}, not ${sent}`];
  return /^[A-Za-z0-9._-]{1,128}$/.test(returned) ? [] : [`X-Request-Id ${returned}`];
}

function checkSize({ status, text }: HostileResponse): string[] {
  const bytes = Buffer.byteLength(text);
  return status >= 400 && bytes > MAX_ERROR_BYTES ? [`an error of ${bytes} bytes`] : [];
}

function checkDocumented(
  request: HostileRequest,
  candidates: Operation[],
  response: HostileResponse,
  body: unknown,
): string[] {
  const { status } = response;
  const code = (body as { error_code?: string } | null)?.error_code;
  if (status >= 500 && !(code && LEGITIMATE_5XX.has(code))) return [`returned ${status} ${code}`];
  const unrouted = request.rerouted || candidates.length === 0;
  if (unrouted && code !== undefined && UNROUTED.get(status) === code) return checkUnrouted(response, body);
  const reasons = candidates.map((operation) => findUndocumented(operation, status, code, body));
  if (reasons.includes(null)) return [];
  return [reasons[0] ?? `returned ${status} ${code} for an unknown route`];
}

/** Null when the operation documents the response and its body is valid. */
function findUndocumented(
  operation: Operation,
  status: number,
  code: string | undefined,
  body: unknown,
): string | null {
  const documented = operation.responses.get(status);
  if (!documented) return `${status} ${code ?? ""} is not documented for ${operation.id}`;
  if (status >= 400 && !documented.errorCodes.includes(code ?? "")) {
    return `${status} ${code} is not documented for ${operation.id}: ${documented.errorCodes.join(", ")}`;
  }
  const bodyError = documented.findBodyError(body);
  return bodyError === null ? null : `the body of ${status} does not fit the schema of ${operation.id}: ${bodyError}`;
}

function checkUnrouted(response: HostileResponse, body: unknown): string[] {
  const bodyError = findFailureError(body);
  return [
    ...(bodyError === null ? [] : [`the body of ${response.status} does not fit: ${bodyError}`]),
    ...(response.status === 405 && !response.headers.allow ? ["405 without Allow"] : []),
  ];
}

/** The reference and its assets lie beside the API. */
function isOutsidePage({ status, headers }: HostileResponse): boolean {
  return status < 400 && !/json/.test(headers["content-type"] ?? "");
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
