// The interface of a simulated network: state behind the network's own HTTP API.
import { parseJson } from "../../shared/parse-json.ts";
import type { Platform } from "../../shared/platforms.ts";

export interface NetworkRequest {
  method: string;
  /** The path after the network's prefix, with a leading slash. */
  path: string;
  query: URLSearchParams;
  headers: Headers;
  body: Buffer;
  /** Base URL of this network, for URLs in its responses. */
  baseUrl: string;
}

export interface NetworkResponse {
  status: number;
  /** Sent as JSON. */
  body?: unknown;
  /** A page, sent in place of `body`. */
  html?: string;
  headers?: Record<string, string>;
}

/** An account of the network, and the tokens issued for it. */
export interface NetworkAccount {
  platform: Platform;
  externalId: string;
  accessToken: string;
  refreshToken?: string | null;
  username?: string;
  /** The app that issued the tokens, and the scopes they were granted: by default the local app, and the least that is enough. */
  app?: string;
  scopes?: readonly string[];
  /** True when the access token has expired. */
  expired?: boolean;
  /** Properties that only this network reads: quotas, privacy levels, limits. */
  facts?: Record<string, unknown>;
}

/** A post that was published on a network. */
export interface PublishedItem {
  id: string;
  account: string;
  kind: string;
  caption: string;
  title?: string;
  /** `tags`: who is tagged in it, as it was sent. */
  media: { url?: string; sha256?: string; bytes?: number; type?: string; alt_text?: string; tags?: string }[];
  settings: Record<string, unknown>;
  at: string;
  url: string | null;
  /** The id of what a reply or comment answers; absent for posts. */
  parent?: string;
}

export type ScriptedError = "refuse" | "429" | "500";

export interface SimulatedNetwork {
  /** The path prefix; `hosted` is the hosted publisher, which serves accounts of every network. */
  platform: Platform | "hosted";
  /** The names of its calls. */
  calls: readonly string[];
  /** Returns the call that a request makes, null when the network has no such endpoint. */
  matchCall(request: NetworkRequest): string | null;
  handle(call: string, request: NetworkRequest): Promise<NetworkResponse>;
  /** An error in the network's own format. */
  buildScriptedError(kind: ScriptedError, code: string | undefined, request: NetworkRequest): NetworkResponse;
  /** Returns true for a call of a consent: it is compared with a reference of its own, `<platform>/consent`. */
  isConsentCall?(call: string): boolean;
  /** Returns the call if the code can only be returned by one, otherwise null. */
  findCallForCode?(code: string): string | null;
  /**
   * Ends the processing of the file that the request asks about, in the network's own words; null when nothing is processed.
   */
  failProcessing(request: NetworkRequest): NetworkResponse | null;
  register(account: NetworkAccount): void;
  /** Ends the connection of the account: none of its tokens is accepted any more, and none is issued. */
  disconnect(externalId: string): void;
  /** Returns the account by the token of the request; an expired token has an account too. */
  findAccount(request: NetworkRequest): Pick<NetworkAccount, "externalId" | "app" | "scopes" | "expired"> | null;
  published: PublishedItem[];
}

export function readBearerToken(request: NetworkRequest): string | null {
  return (
    /^(?:Bearer|DPoP|OAuth) (.+)$/.exec(request.headers.get("authorization") ?? "")?.[1] ??
    request.query.get("access_token")
  );
}

export function readJsonObject(request: NetworkRequest): Record<string, unknown> {
  const value = parseJson(request.body.toString("utf8"));
  return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : {};
}

/** Reads the fields of a form or JSON body; Meta's API accepts both. */
export function readFields(request: NetworkRequest): Record<string, string> {
  if (/json/.test(request.headers.get("content-type") ?? "")) {
    return Object.fromEntries(Object.entries(readJsonObject(request)).map(([name, value]) => [name, String(value)]));
  }
  return Object.fromEntries(new URLSearchParams(request.body.toString("utf8")));
}

/** Removes a post of the account from what is published; false when the account has no such post. */
export function removePublished(published: PublishedItem[], account: NetworkAccount, id: string): boolean {
  const at = published.findIndex((item) => item.id === id && item.account === account.externalId);
  if (at < 0) return false;
  // Comments go with their post; replies are posts of their own.
  const kept = published.filter((item, place) => place !== at && !(item.kind === "comment" && item.parent === id));
  published.splice(0, published.length, ...kept);
  return true;
}

/** The id of an account in the network's format: Bluesky identifies accounts by DIDs. */
export function toExternalId(platform: Platform, digits: string | number): string {
  return platform === "bluesky" ? `did:plc:${digits}` : String(digits);
}
