// The one way drivers speak to a network: a call with a time limit whose failures already have a class.
import { failure, type Job } from "./platform.ts";

export type Io = Pick<Job, "fetch" | "now">;

export interface Call {
  /** The network's name as customers know it, for messages. */
  network: string;
  method: "GET" | "HEAD" | "POST" | "PUT" | "PATCH" | "DELETE";
  url: string;
  query?: Record<string, string | undefined>;
  headers?: Record<string, string>;
  bearer?: string;
  json?: unknown;
  form?: Record<string, string | undefined>;
  /** Raw bytes; a stream is sent as it comes, so its length belongs into `headers`. */
  body?: BodyInit | null;
  timeoutMs?: number;
  /**
   * True for the call that makes a post visible. A 5xx then says nothing about the outcome and is `unanswered`,
   * exactly like a lost connection; anywhere else it is `transient`.
   */
  irreversible?: boolean;
}

export interface Reply {
  status: number;
  headers: Headers;
  /** The parsed JSON object; empty when the answer was no JSON object. */
  body: Record<string, unknown>;
}

const CALL_TIMEOUT_MS = 20_000;
/** Where X, Pinterest and Bluesky name the end of a rate limit. */
const RESETS = ["x-rate-limit-reset", "x-ratelimit-reset", "ratelimit-reset"] as const;

/** Answers every status below 500 except 408 and 429; those three, and silence, are thrown as failures. */
export async function call(io: Io, request: Call): Promise<Reply> {
  const { response, text } = await exchange(io, request);
  const { status, headers } = response;
  const { network } = request;
  if (status === 429) {
    throw failure({
      class: "rate_limited",
      code: "http_429",
      message: `${network} takes no more calls for this account right now. We try again by ourselves.`,
      retryAt: retryAt(headers, io.now()),
    });
  }
  if (status === 408) throw unanswered(network, "http_408");
  if (status >= 500) {
    if (request.irreversible) throw unanswered(network, `http_${status}`);
    throw failure({
      class: "transient",
      code: `http_${status}`,
      message: `${network} had an internal error. We try again by ourselves.`,
    });
  }
  return { status, headers, body: parseObject(text) };
}

/** No answer, or none that can be read: in `publish` the outcome is unknown. */
export function unanswered(network: string, code: string) {
  return failure({
    class: "unanswered",
    code,
    message: `${network} gave no readable answer. We find out what became of the call and go on by ourselves.`,
  });
}

async function exchange(io: Io, request: Call): Promise<{ response: Response; text: string }> {
  try {
    const response = await io.fetch(withQuery(request.url, request.query), initOf(request));
    return { response, text: await response.text() };
  } catch (error) {
    // The cause may quote the URL, and some networks want tokens there: only its name goes on.
    const timedOut = error instanceof Error && (error.name === "TimeoutError" || error.name === "AbortError");
    throw unanswered(request.network, timedOut ? "timeout" : "connection_lost");
  }
}

function initOf(request: Call): RequestInit {
  const headers = new Headers(request.headers);
  if (request.bearer) headers.set("authorization", `Bearer ${request.bearer}`);
  let body = request.body ?? null;
  if (request.json !== undefined) {
    headers.set("content-type", "application/json; charset=UTF-8");
    body = JSON.stringify(request.json);
  } else if (request.form) {
    body = new URLSearchParams(defined(request.form));
  }
  const signal = AbortSignal.timeout(request.timeoutMs ?? CALL_TIMEOUT_MS);
  const init: RequestInit = { method: request.method, headers, signal, redirect: "manual" };
  if (body === null) return init;
  // Node sends a stream only when told that it will not read the answer before the end of the body.
  return { ...init, body, ...(body instanceof ReadableStream ? { duplex: "half" } : {}) } as RequestInit;
}

function withQuery(url: string, query: Call["query"]): string {
  if (!query) return url;
  const full = new URL(url);
  for (const [name, value] of Object.entries(defined(query))) full.searchParams.set(name, value);
  return full.href;
}

function defined(fields: Record<string, string | undefined>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(fields).filter((entry): entry is [string, string] => entry[1] !== undefined),
  );
}

/** Ids beyond 2^53 come as bare numbers from some networks; they are kept as their digits. */
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

/** When a 429 says to come back: Retry-After, else a reset header; undefined where it names no time. */
export function retryAt(headers: Headers, now: Date): Date | undefined {
  const after = headers.get("retry-after");
  if (after) {
    const seconds = Number(after);
    const at = Number.isFinite(seconds) ? new Date(now.getTime() + seconds * 1000) : new Date(after);
    if (!Number.isNaN(at.getTime())) return at;
  }
  const named = RESETS.map((name) => headers.get(name)).find((value) => value !== null);
  const reset = Number(named ?? Number.NaN);
  // Networks send either an epoch or the seconds left.
  if (reset > 1e9) return new Date(reset * 1000);
  return reset >= 0 ? new Date(now.getTime() + reset * 1000) : undefined;
}

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** What lies at a path inside parsed JSON, undefined when any step is missing. */
export function pick(value: unknown, ...path: string[]): unknown {
  return path.reduce<unknown>((at, key) => (isObject(at) ? at[key] : undefined), value);
}

/** The string (or the digits of a number) at a path, null when there is none. */
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
