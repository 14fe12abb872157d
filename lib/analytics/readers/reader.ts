// The contract that every network's reader fulfils: posts of an account and their figures, page by page.
import type { Io } from "../../platforms/http.ts";
import { type Connection, failure, type NetworkConfig } from "../../platforms/platform.ts";
import type { Metrics } from "../metrics.ts";

export interface SeenPost extends Metrics {
  platformPostId: string;
  kind: "video" | "image" | "carousel";
  publishedAt: Date;
  caption: string;
  permalink: string | null;
  thumbnailUrl: string | null;
  durationSeconds: number | null;
}

export interface ReadJob extends Io {
  network: NetworkConfig;
  /** The account through whose eyes the reader looks. */
  connection: Connection;
  /** The account to read, in the case it was written. */
  handle: string;
  /** The connection is that very account. */
  own: boolean;
}

export interface Page {
  posts: SeenPost[];
  /** Where the next page begins; null after the last one. */
  cursor: string | null;
}

/** Failures are thrown as the drivers throw theirs. */
export interface Reader {
  /** `own`: the network shows an account to itself only. `public`: any connected account sees any other. */
  sees: "own" | "public";
  /** The newest posts first. `cursor` is null for the first page. */
  read(job: ReadJob, cursor: string | null): Promise<Page>;
}

/** A count as networks send it: a number, its digits, or nothing. */
export function countOf(value: unknown): number {
  const count = typeof value === "string" && /^\d+$/.test(value) ? Number(value) : value;
  return typeof count === "number" && Number.isFinite(count) ? Math.max(0, Math.trunc(count)) : 0;
}

/** Text that Postgres can hold. */
export function textOf(value: unknown): string {
  return typeof value === "string" ? value.toWellFormed().replaceAll("\0", "") : "";
}

export function linkOf(value: unknown): string | null {
  return textOf(value) || null;
}

/** The instant that a text or a number of seconds names, null when it names none. */
export function instantOf(value: unknown): Date | null {
  const instant = new Date(typeof value === "number" ? value * 1000 : textOf(value));
  const year = Number.isNaN(instant.getTime()) ? 0 : instant.getUTCFullYear();
  return year >= 2000 && year < 9000 ? instant : null;
}

export function unknownAccount(network: string, handle: string) {
  const message = `${network} knows no account ${handle}.`;
  return failure({ class: "account", code: "account_unknown", message });
}
