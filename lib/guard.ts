// URLs that callers give us: fetched only over http(s), only from public addresses, with few redirects and a time limit.
import ipaddr from "ipaddr.js";

export interface Guard {
  fetch: typeof fetch;
  /** The addresses behind a host name; empty when there are none. */
  resolveHost(host: string): Promise<string[]>;
  /** `host:port` entries that pass although they are private; empty in production. */
  allowedHosts: readonly string[];
}

const REDIRECTS_AT_MOST = 3;
const PROBE_WITHIN_MS = 8_000;
const GLOBAL_UNICAST_V6 = ipaddr.parseCIDR("2000::/3");

/** Why a URL may not be fetched, in words for the customer; null when it may. */
export async function whyForbidden(guard: Omit<Guard, "fetch">, url: URL): Promise<string | null> {
  if (url.protocol !== "http:" && url.protocol !== "https:") return "Only http and https URLs are fetched.";
  if (url.username || url.password) return "The URL must not hold a user name or password.";
  if (guard.allowedHosts.includes(url.host)) return null;
  const host = url.hostname.replace(/^\[|\]$/g, "").replace(/\.+$/, "");
  if (ipaddr.isValid(host)) return isPublic(host) ? null : `The address ${host} is not public.`;
  // A name without a dot, and the names reserved for private use, resolve inside somebody's network.
  const reserved =
    /^[^.]*$|\.(localhost|local|internal|lan|home|corp|intranet|test|invalid|example|onion|home\.arpa)$/i;
  if (reserved.test(host)) return `The host ${host} is not public.`;
  const addresses = await guard.resolveHost(host);
  if (addresses.length === 0) return `The host ${host} does not resolve.`;
  return addresses.every(isPublic) ? null : `The host ${host} is not public: it resolves to a private address.`;
}

function isPublic(address: string): boolean {
  const parsed = ipaddr.process(address);
  if (parsed.range() !== "unicast") return false;
  return parsed.kind() === "ipv4" || parsed.match(GLOBAL_UNICAST_V6);
}

/** A fetch for callers' URLs: every redirect is checked like the first address. Throws an Error with a plain sentence. */
export async function fetchGuarded(guard: Guard, address: string, init: RequestInit): Promise<Response> {
  let url = new URL(address);
  for (let hops = 0; hops <= REDIRECTS_AT_MOST; hops++) {
    const forbidden = await whyForbidden(guard, url);
    if (forbidden) throw new Error(forbidden);
    const answer = await guard.fetch(url.href, { ...init, redirect: "manual" });
    const location = answer.headers.get("location");
    if (answer.status < 300 || answer.status > 399 || !location) return answer;
    await answer.body?.cancel();
    if (!URL.canParse(location, url.href)) throw new Error("The URL redirects to an address that is none.");
    url = new URL(location, url);
  }
  throw new Error(`The URL redirects more than ${REDIRECTS_AT_MOST} times.`);
}

/** What to tell of an error that asking a URL ended in. */
export function whyUnreachable(error: unknown): string {
  if (!(error instanceof Error)) return "The URL does not answer.";
  if (error.name === "TimeoutError") return "The URL did not answer in time.";
  return error instanceof TypeError ? "The URL does not answer: no connection." : error.message;
}

/** All that a URL answers with, or null when that is more than `most` bytes. Throws an Error with a plain sentence. */
export async function download(
  guard: Guard,
  address: string,
  { most, withinMs }: { most: number; withinMs: number },
): Promise<Uint8Array | null> {
  const signal = AbortSignal.timeout(withinMs);
  const answer = await fetchGuarded(guard, address, { signal });
  if (!answer.ok || Number(answer.headers.get("content-length") ?? 0) > most) {
    await answer.body?.cancel();
    if (answer.ok) return null;
    throw new Error(`The URL answers with HTTP ${answer.status}.`);
  }
  try {
    return await readAtMost(answer.body, most);
  } catch (cause) {
    if (signal.aborted) throw signal.reason;
    throw new Error("The URL stopped answering before all of its bytes had arrived.", { cause });
  }
}

async function readAtMost(body: ReadableStream<Uint8Array> | null, most: number): Promise<Uint8Array | null> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  // Leaving the loop cancels the rest.
  for await (const chunk of body ?? []) {
    size += chunk.byteLength;
    if (size > most) return null;
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

export interface Probed {
  contentType: string;
  bytes: number | null;
}

/**
 * What a URL answers with, asked by HEAD, and by a GET of one byte where HEAD is refused or names another type than
 * `wanted` (a prefix such as `video/`). Throws an Error with a plain sentence.
 */
export async function probe(guard: Guard, address: string, wanted: string): Promise<Probed> {
  const signal = AbortSignal.timeout(PROBE_WITHIN_MS);
  const head = await fetchGuarded(guard, address, { method: "HEAD", signal }).catch(() => null);
  await head?.body?.cancel();
  if (head?.ok) {
    const told = read(head);
    if (told.contentType.startsWith(wanted)) return told;
  }
  const answer = await fetchGuarded(guard, address, { headers: { Range: "bytes=0-0" }, signal });
  await answer.body?.cancel();
  if (!answer.ok) throw new Error(`The URL answers with HTTP ${answer.status}.`);
  return read(answer);
}

function read({ headers }: Response): Probed {
  const total = headers.get("content-range")?.split("/")[1] ?? headers.get("content-length");
  const bytes = Number(total);
  return {
    contentType: (headers.get("content-type") ?? "").split(";")[0]?.trim().toLowerCase() ?? "",
    bytes: total && Number.isFinite(bytes) ? bytes : null,
  };
}
