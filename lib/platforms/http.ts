// HTTP client of the drivers: requests with a timeout, whose failures have a class.
import { isNotSent } from "../shared/not-sent.ts";
import { parseRetryAfter } from "../shared/retry-after.ts";
import { failure, type Job } from "./platform.ts";

export type HttpContext = Pick<Job, "fetch" | "now">;

export interface NetworkRequest {
  /** Display name of the network, for messages. */
  network: string;
  method: "GET" | "HEAD" | "POST" | "PUT" | "PATCH" | "DELETE";
  url: string;
  query?: Record<string, string | undefined>;
  headers?: Record<string, string>;
  bearer?: string;
  json?: unknown;
  form?: Record<string, string | undefined>;
  /** Raw bytes; a stream is sent as it is read, so its length must be in `headers`. */
  body?: BodyInit | null;
  timeoutMs?: number;
  /**
   * True for the request that makes a post visible. A 5xx then leaves the outcome open and is `unanswered`, like a
   * lost connection; for any other request it is `transient`.
   */
  irreversible?: boolean;
}

export interface NetworkResponse {
  status: number;
  headers: Headers;
  /** The parsed JSON object; empty when the response is not a JSON object. */
  body: Record<string, unknown>;
}

const REQUEST_TIMEOUT_MS = 20_000;
/** Rate limit reset headers of X, Pinterest and Bluesky. */
const RESET_HEADERS = ["x-rate-limit-reset", "x-ratelimit-reset", "ratelimit-reset"] as const;

/** Returns responses below 500 except 408 and 429; throws a failure for the others and for a missing response. */
export async function sendRequest(io: HttpContext, request: NetworkRequest): Promise<NetworkResponse> {
  const { network, url, query, irreversible } = request;
  const { response, text } = await fetchText(io, network, appendQuery(url, query), toRequestInit(request));
  assertAnswered(io, network, response, irreversible === true);
  return { status: response.status, headers: response.headers, body: parseObject(text) };
}

/** The same for a library that builds its requests itself; no request of a library is irreversible. */
export async function fetchChecked(
  io: HttpContext,
  network: string,
  url: string,
  init: RequestInit,
): Promise<Response> {
  const signal = AbortSignal.timeout(REQUEST_TIMEOUT_MS);
  const { response, text } = await fetchText(io, network, url, { ...init, signal, redirect: "manual" });
  assertAnswered(io, network, response, false);
  return new Response(text || null, response);
}

function assertAnswered(io: HttpContext, network: string, { status, headers }: Response, irreversible: boolean): void {
  if (status === 429) {
    throw failure({
      class: "rate_limited",
      code: "http_429",
      message: `${network} is rate limiting this account.`,
      retryAt: parseRetryAt(headers, io.now()),
    });
  }
  if (status === 408) throw unanswered(network, "http_408");
  if (status < 500) return;
  if (irreversible) throw unanswered(network, `http_${status}`);
  throw failure({ class: "transient", code: `http_${status}`, message: `${network} had an internal error.` });
}

/** Code of a request that this service did not send, so that it changed nothing, not even in `publish`. */
export const NOT_SENT = "not_sent";

/** No response, or an unreadable one: in `publish` the outcome is unknown. */
export function unanswered(network: string, code: string) {
  return failure({
    class: "unanswered",
    code,
    message: `${network} returned no valid response.`,
  });
}

async function fetchText(
  io: HttpContext,
  network: string,
  url: string,
  init: RequestInit,
): Promise<{ response: Response; text: string }> {
  try {
    const response = await io.fetch(url, init);
    return { response, text: await response.text() };
  } catch (error) {
    if (isNotSent(error)) throw failure({ class: "transient", code: NOT_SENT, message: `${network} was not called.` });
    // The error message may contain the URL, which holds tokens for some networks, so only the error name is used.
    const timedOut = error instanceof Error && (error.name === "TimeoutError" || error.name === "AbortError");
    throw unanswered(network, timedOut ? "timeout" : "connection_lost");
  }
}

function toRequestInit(request: NetworkRequest): RequestInit {
  const headers = new Headers(request.headers);
  if (request.bearer) headers.set("authorization", `Bearer ${request.bearer}`);
  let body = request.body ?? null;
  if (request.json !== undefined) {
    headers.set("content-type", "application/json; charset=UTF-8");
    body = JSON.stringify(request.json);
  } else if (request.form) {
    body = new URLSearchParams(omitUndefined(request.form));
  }
  const signal = AbortSignal.timeout(request.timeoutMs ?? REQUEST_TIMEOUT_MS);
  const init: RequestInit = { method: request.method, headers, signal, redirect: "manual" };
  if (body === null) return init;
  // Node requires `duplex: "half"` to send a stream.
  return { ...init, body, ...(body instanceof ReadableStream ? { duplex: "half" } : {}) } as RequestInit;
}

function appendQuery(url: string, query: NetworkRequest["query"]): string {
  if (!query) return url;
  const full = new URL(url);
  for (const [name, value] of Object.entries(omitUndefined(query))) full.searchParams.set(name, value);
  return full.href;
}

function omitUndefined(fields: Record<string, string | undefined>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(fields).filter((entry): entry is [string, string] => entry[1] !== undefined),
  );
}

/** Keeps integers beyond 2^53 as strings, because some networks send ids as bare numbers. */
function parseObject(text: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text, (_key, parsed: unknown, context?: { source?: string }) =>
      typeof parsed === "number" && !Number.isSafeInteger(parsed) && /^-?\d+$/.test(context?.source ?? "")
        ? context?.source
        : parsed,
    );
    return isObject(value) ? value : {};
  } catch {
    return {};
  }
}

/** Reads when a rate limit ends from Retry-After or a reset header; undefined when neither is set. */
export function parseRetryAt(headers: Headers, now: Date): Date | undefined {
  const after = parseRetryAfter(headers, now);
  if (after) return after;
  const named = RESET_HEADERS.map((name) => headers.get(name)).find((value) => value !== null);
  const reset = Number(named ?? Number.NaN);
  // Networks send either epoch seconds or the remaining seconds.
  if (reset > 1e9) return new Date(reset * 1000);
  return reset >= 0 ? new Date(now.getTime() + reset * 1000) : undefined;
}

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Returns the value at a path in parsed JSON, undefined when any step is missing. */
export function pick(value: unknown, ...path: string[]): unknown {
  return path.reduce<unknown>((at, key) => (isObject(at) ? at[key] : undefined), value);
}

/** Returns the string, or the digits of a number, at a path; null when there is none. */
export function pickString(value: unknown, ...path: string[]): string | null {
  const found = pick(value, ...path);
  if (typeof found === "number") return String(found);
  return typeof found === "string" && found !== "" ? found : null;
}

export function pickNumber(value: unknown, ...path: string[]): number | null {
  const found = pick(value, ...path);
  return typeof found === "number" && Number.isFinite(found) ? found : null;
}

export function pickList(value: unknown, ...path: string[]): unknown[] {
  const found = pick(value, ...path);
  return Array.isArray(found) ? found : [];
}
