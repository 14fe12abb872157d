// The contract of every network's reader: the posts of an account with their metrics, page by page.
import type { ServerContext } from "../../platforms/bluesky/account-server.ts";
import { type Connection, failure } from "../../platforms/platform.ts";
import type { FetchedPost, PostMetrics } from "../../schemas/analytics-metrics.ts";
import type { MissingNumbers } from "../../shared/metrics.ts";
import type { NetworkConfig } from "../../shared/platforms.ts";

/** A post without its metrics. */
export type BarePost = Omit<FetchedPost, keyof PostMetrics>;

export interface ReadJob extends ServerContext {
  network: NetworkConfig;
  /** The account whose token is used. */
  connection: Connection;
  /** The account to read, in the spelling of the customer. */
  handle: string;
  /** Returns true if the connection is this account. */
  own: boolean;
  /** The newest posts that this service published on the account, for networks that do not list them. */
  listPublished(limit: number): Promise<Omit<BarePost, "thumbnailUrl" | "durationSeconds">[]>;
}

export interface Page {
  posts: FetchedPost[];
  /** Cursor of the next page; null after the last one. */
  cursor: string | null;
  /** Numbers that the network reports of other accounts, or reported before. */
  missing?: MissingNumbers;
}

/** Throws failures of the same classes as publishing drivers. */
export interface Reader {
  /** `own`: an account can read only itself. `public`: any connected account can read any other. */
  visibility: "own" | "public";
  /** A refresh reads no more, because each post that is read costs. */
  maxPosts?: number;
  /** The newest posts first. `cursor` is null for the first page. */
  read(job: ReadJob, cursor: string | null): Promise<Page>;
}

/** A count as networks send it: a number or a string of digits. Null when there is none: it is hidden, or not known. */
export function parseCount(value: unknown): number | null {
  const count = typeof value === "string" && /^\d+$/.test(value) ? Number(value) : value;
  return typeof count === "number" && Number.isFinite(count) ? Math.max(0, Math.trunc(count)) : null;
}

/** Text that Postgres can store: without NUL and lone surrogates. */
export function sanitizeText(value: unknown): string {
  return typeof value === "string" ? value.toWellFormed().replaceAll("\0", "") : "";
}

export function sanitizeLink(value: unknown): string | null {
  return sanitizeText(value) || null;
}

/** Parses an ISO 8601 string or a number of seconds since the epoch; null when it is neither. */
export function parseInstant(value: unknown): Date | null {
  const instant = new Date(typeof value === "number" ? value * 1000 : sanitizeText(value));
  const year = Number.isNaN(instant.getTime()) ? 0 : instant.getUTCFullYear();
  return year >= 2000 && year < 9000 ? instant : null;
}

export function unknownAccountFailure(network: string, handle: string) {
  const message = `${network} has no account ${handle}.`;
  return failure({ class: "account", code: "account_unknown", message });
}
