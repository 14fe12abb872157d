// What one stand-in network is: real state behind the network's own wire protocol.
import type { Platform } from "../../../lib/platforms/platform.ts";

export interface Incoming {
  method: string;
  /** Below the network's prefix, with a leading slash. */
  path: string;
  query: URLSearchParams;
  headers: Headers;
  body: Buffer;
  /** Base URL of this network, for addresses that it hands out. */
  self: string;
}

export interface Answer {
  status: number;
  /** Objects go out as JSON; `rawJson` marks big integers that JavaScript can not hold. */
  body?: unknown;
  headers?: Record<string, string>;
}

/** An account that the network knows, and the tokens it gave out for it. */
export interface NetworkAccount {
  platform: Platform;
  externalId: string;
  accessToken: string;
  refreshToken?: string | null;
  username?: string;
  /** The access token is one that the network no longer accepts. */
  expired?: boolean;
  /** Facts of the account that only its network looks at: quotas, privacy levels, limits. */
  facts?: Record<string, unknown>;
}

/** One thing that became real at a network. */
export interface PublishedItem {
  id: string;
  account: string;
  kind: string;
  caption: string;
  title?: string;
  media: { url?: string; sha256?: string; bytes?: number; type?: string }[];
  settings: Record<string, unknown>;
  at: string;
  url: string | null;
}

export type ScriptedRefusal = "refuse" | "429" | "500";

export interface Network {
  /** The prefix of its doors; `hosted` is the fleet, which serves accounts of every network. */
  platform: Platform | "hosted";
  /** The names that `_behave` may script. */
  calls: readonly string[];
  /** Which call a request is, null when the network has no such door. */
  callOf(request: Incoming): string | null;
  answer(call: string, request: Incoming): Promise<Answer>;
  /** A refusal in the network's own error shape. */
  refusal(kind: ScriptedRefusal, code: string | undefined, request: Incoming): Answer;
  /** The one call in which a code naturally comes, when it can come in no other. */
  callOfCode?(code: string): string | null;
  register(account: NetworkAccount): void;
  accountOf(request: Incoming): string | null;
  published: PublishedItem[];
}

/** How long things take, in milliseconds; small so that tests are quick. */
export interface Pace {
  processingMs: number;
  /** How many status readings say "in progress" before the work is done, after `processingMs`. */
  processingPolls: number;
  /** From being out to being named by its public id. */
  namingMs: number;
}

export function bearerOf(request: Incoming): string | null {
  return /^Bearer (.+)$/.exec(request.headers.get("authorization") ?? "")?.[1] ?? request.query.get("access_token");
}

export function jsonOf(request: Incoming): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(request.body.toString("utf8"));
    return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : {};
  } catch {
    return {};
  }
}

/** Fields of a form or JSON body, whichever came; Meta's API takes both. */
export function fieldsOf(request: Incoming): Record<string, string> {
  if (/json/.test(request.headers.get("content-type") ?? "")) {
    return Object.fromEntries(Object.entries(jsonOf(request)).map(([name, value]) => [name, String(value)]));
  }
  return Object.fromEntries(new URLSearchParams(request.body.toString("utf8")));
}

export interface Fetched {
  ok: boolean;
  type: string;
  bytes: number;
}

/** Fetches media the way networks do: HEAD, then a first range; HTML, silence and refusals count as not fetched. */
export async function fetchMedia(url: string): Promise<Fetched> {
  const nothing: Fetched = { ok: false, type: "", bytes: 0 };
  try {
    const signal = AbortSignal.timeout(5_000);
    const head = await fetch(url, { method: "HEAD", signal });
    const range = await fetch(url, { headers: { range: "bytes=0-1023" }, signal });
    const read = (await range.arrayBuffer()).byteLength;
    if (!range.ok || read === 0) return nothing;
    const total = /\/(\d+)$/.exec(range.headers.get("content-range") ?? "")?.[1] ?? head.headers.get("content-length");
    const type = (range.headers.get("content-type") ?? "").split(";")[0] ?? "";
    return { ok: true, type, bytes: Number(total ?? read) };
  } catch {
    return nothing;
  }
}

let serial = 0;

/** Ids rise, look like the network's own, and never repeat within a run. */
export function nextId(prefix: string): string {
  serial += 1;
  return `${prefix}${String(Date.now()).slice(-9)}${String(serial).padStart(6, "0")}`;
}
