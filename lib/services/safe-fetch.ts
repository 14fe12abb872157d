// Fetches URLs that callers send: http(s) only, public addresses only, with limits on redirects, size and time.
import ipaddr from "ipaddr.js";
import { getBodySize, UNCOMPRESSED } from "../shared/file-size.ts";
import { toResult } from "../shared/result.ts";

export interface FetchPolicy {
  fetch: typeof fetch;
  /** The IP addresses of a host name; empty when it does not resolve. */
  resolveHost(host: string): Promise<string[]>;
  /** `host:port` entries that are allowed although they are private; empty in production. */
  allowedHosts: readonly string[];
}

const MAX_REDIRECTS = 3;
const PROBE_TIMEOUT_MS = 8_000;
const GLOBAL_UNICAST_V6 = ipaddr.parseCIDR("2000::/3");

/** The message for the customer when a URL must not be fetched; null when it may. */
export async function getForbiddenReason(policy: Omit<FetchPolicy, "fetch">, url: URL): Promise<string | null> {
  if (url.protocol !== "http:" && url.protocol !== "https:") return "The URL must use http or https.";
  if (url.username || url.password) return "The URL must not contain a user name or password.";
  if (policy.allowedHosts.includes(url.host)) return null;
  const host = url.hostname.replace(/^\[|\]$/g, "").replace(/\.+$/, "");
  if (ipaddr.isValid(host)) return isPublicAddress(host) ? null : `The address ${host} is not public.`;
  // Single-label names and names reserved for private use resolve only inside private networks.
  const reserved =
    /^[^.]*$|\.(localhost|local|internal|lan|home|corp|intranet|test|invalid|example|onion|home\.arpa)$/i;
  if (reserved.test(host)) return `The host ${host} is not public.`;
  const addresses = await policy.resolveHost(host);
  if (addresses.length === 0) return `The host ${host} does not resolve.`;
  return addresses.every(isPublicAddress) ? null : `The host ${host} is not public: it resolves to a private address.`;
}

/** The options of requests that passed the guard. */
const guarded = new WeakSet<RequestInit>();

export const isGuarded = (init: RequestInit): boolean => guarded.has(init);

function isPublicAddress(address: string): boolean {
  const parsed = ipaddr.process(address);
  if (parsed.range() !== "unicast") return false;
  return parsed.kind() === "ipv4" || parsed.match(GLOBAL_UNICAST_V6);
}

/**
 * Fetches a caller's URL and checks every redirect too; `redirect: "error"` and `"manual"` follow none, and the latter returns
 * the redirect. Throws an Error whose message is for the customer.
 */
export async function safeFetch(policy: FetchPolicy, address: string, init: RequestInit): Promise<Response> {
  let url = new URL(address);
  for (let hops = 0; hops <= MAX_REDIRECTS; hops++) {
    const forbidden = await getForbiddenReason(policy, url);
    if (forbidden) throw new Error(forbidden);
    const checked: RequestInit = { ...init, redirect: "manual" };
    guarded.add(checked);
    const response = await policy.fetch(url.href, checked);
    const location = response.headers.get("location");
    if (response.status < 300 || response.status > 399 || !location || init.redirect === "manual") return response;
    await response.body?.cancel();
    if (init.redirect === "error") throw new Error("The URL redirects.");
    if (!URL.canParse(location, url.href)) throw new Error("The URL redirects to an invalid URL.");
    url = new URL(location, url);
  }
  throw new Error(`The URL redirects more than ${MAX_REDIRECTS} times.`);
}

/** The message for the customer about a failed fetch. */
export function describeFetchError(error: unknown): string {
  if (!(error instanceof Error)) return "The URL did not respond.";
  if (error.name === "TimeoutError") return "The URL did not respond in time.";
  return error instanceof TypeError ? "The URL did not respond: the connection failed." : error.message;
}

/** The body of a URL, or null when it exceeds `maxBytes`. Throws an Error whose message is for the customer. */
export async function downloadUrl(
  policy: FetchPolicy,
  address: string,
  { maxBytes, timeoutMs }: { maxBytes: number; timeoutMs: number },
): Promise<Uint8Array<ArrayBuffer> | null> {
  const signal = AbortSignal.timeout(timeoutMs);
  const response = await safeFetch(policy, address, { signal });
  if (!response.ok || Number(response.headers.get("content-length") ?? 0) > maxBytes) {
    await response.body?.cancel();
    if (response.ok) return null;
    throw new Error(`The URL returned HTTP ${response.status}.`);
  }
  try {
    return await readUpTo(response.body, maxBytes);
  } catch (cause) {
    if (signal.aborted) throw signal.reason;
    throw new Error("The connection was lost before the response was complete.", { cause });
  }
}

/** Null when the body is longer. */
export async function readUpTo(
  body: ReadableStream<Uint8Array> | null,
  maxBytes: number,
): Promise<Uint8Array<ArrayBuffer> | null> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  // Returning from the loop cancels the stream.
  for await (const chunk of body ?? []) {
    size += chunk.byteLength;
    if (size > maxBytes) return null;
    chunks.push(chunk);
  }
  const whole = new Uint8Array(size);
  let at = 0;
  for (const chunk of chunks) {
    whole.set(chunk, at);
    at += chunk.byteLength;
  }
  return whole;
}

export interface ProbeResult {
  /** As the server names it, in lower case and without parameters; may be empty. */
  contentType: string;
  bytes: number | null;
  /** The beginning of the file; empty when the server answers HEAD only. */
  head: Uint8Array;
}

const PROBED_BYTES = 1024;

/** Type, size and first KiB of a URL, by a ranged GET; by HEAD when that fails. Throws an Error whose message is for the customer. */
export async function probeUrl(policy: FetchPolicy, address: string): Promise<ProbeResult> {
  const signal = AbortSignal.timeout(PROBE_TIMEOUT_MS);
  const headers = { ...UNCOMPRESSED, Range: `bytes=0-${PROBED_BYTES - 1}` };
  const got = await toResult(safeFetch(policy, address, { headers, signal }));
  if (got.ok && got.value.ok) {
    return { ...readContentHeaders(got.value), head: await readBeginning(got.value.body, PROBED_BYTES) };
  }
  if (got.ok) await got.value.body?.cancel();
  const head = await toResult(safeFetch(policy, address, { method: "HEAD", headers: UNCOMPRESSED, signal }));
  if (head.ok) await head.value.body?.cancel();
  if (head.ok && head.value.ok) return { ...readContentHeaders(head.value), head: new Uint8Array() };
  if (!got.ok) throw got.error;
  throw new Error(`The URL returned HTTP ${got.value.status}.`);
}

/** At most `length` bytes; a connection that breaks later does not matter. */
async function readBeginning(body: ReadableStream<Uint8Array> | null, length: number): Promise<Uint8Array> {
  const bytes: number[] = [];
  try {
    // Returning from the loop cancels the stream.
    for await (const chunk of body ?? []) {
      bytes.push(...chunk.subarray(0, length - bytes.length));
      if (bytes.length >= length) break;
    }
  } catch {
    // What arrived decides.
  }
  return Uint8Array.from(bytes);
}

function readContentHeaders(response: Response): Omit<ProbeResult, "head"> {
  const { headers } = response;
  const total = headers.get("content-range")?.split("/")[1] ?? getBodySize(response);
  const bytes = Number(total);
  return {
    contentType: (headers.get("content-type") ?? "").split(";")[0]?.trim().toLowerCase() ?? "",
    bytes: total !== null && Number.isFinite(bytes) ? bytes : null,
  };
}
