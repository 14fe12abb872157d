// The contract every network driver fulfils, and the words drivers and the publisher share.
import type { Capabilities, CaptionUnit } from "./rules.ts";

export const PLATFORMS = [
  "tiktok",
  "instagram",
  "youtube",
  "twitter",
  "pinterest",
  "threads",
  "linkedin",
  "facebook",
  "bluesky",
] as const;
export type Platform = (typeof PLATFORMS)[number];

/** A finalized or foreign media file as a driver needs it. `bytes` and the rest are null when only a URL is known. */
export interface MediaFile {
  url: string;
  mimeType: string | null;
  bytes: number | null;
  durationMs: number | null;
  width: number | null;
  height: number | null;
  /** As the demuxer names it, and frames a second; known of finalized videos only. */
  videoCodec?: string | null;
  fps?: number | null;
}

export type Media = { type: "video"; video: MediaFile } | { type: "slideshow"; images: MediaFile[] };

/** What one delivery publishes. `settings` is the object of this network only, already checked by its schema. */
export interface Content {
  caption: string;
  media: Media | null;
  musicUrl: string | null;
  settings: Record<string, unknown>;
}

/** A connected account, with its token in the clear for the length of one step. */
export interface Connection {
  accountId: string;
  /** The network's own id of the account (TikTok open_id, Instagram user id, channel id, DID ...). */
  externalId: string;
  /** Empty for a hosted account: its fleet holds the token. */
  accessToken: string;
}

/** Where the network's API lives and as which app we speak to it. */
export interface NetworkConfig {
  baseUrl: string;
  clientId: string;
  clientSecret: string;
}

/** Everything a driver may use. It knows no database and no environment. */
export interface Job {
  deliveryId: string;
  content: Content;
  connection: Connection;
  network: NetworkConfig;
  /** To the network's API. */
  fetch: typeof fetch;
  /** To media URLs, which callers named: refuses addresses that are not public, after every redirect. */
  fetchMedia: (url: string, init: RequestInit) => Promise<Response>;
  now: () => Date;
}

/** JSON that names what exists at the network: container ids, upload sessions, publish ids. Kept on the delivery row. */
export type Handle = Record<string, unknown>;

export interface Published {
  state: "published";
  /** The network's id of the post; null when it is known to be out but the network names it later. */
  platformPostId: string | null;
  url: string | null;
}

/** Not done yet: ask again in `afterMs`. A changed handle replaces the stored one. */
export interface Processing {
  state: "processing";
  afterMs: number;
  handle?: Handle;
}

/** Whatever brings a post out: the driver of a network, or the fleet of hosted accounts for all of them. */
export interface Carrier {
  /** Makes what publishing needs (containers, sessions). Nothing becomes visible; safe to repeat from nothing. */
  start(job: Job): Promise<Handle>;
  /**
   * Read only. Before `publish`: processing or ready. After it: processing or published.
   * A published post whose url is null may be polled again with the same handle until the network names it.
   */
  poll(job: Job, handle: Handle): Promise<Processing | { state: "ready"; handle?: Handle } | Published>;
  /**
   * The single irreversible call. `sent`: the network took it and finishes on its own; go on with `poll`.
   * Throws `unanswered` when the outcome is unknown (silence, or a 5xx); any other failure means that nothing is out.
   */
  publish(job: Job, handle: Handle): Promise<Published | { state: "sent"; handle: Handle }>;
  /**
   * Read only: what became of a `publish` whose answer was lost. Processing: ask again with the handle it brings.
   * `not_published` allows a new `start`, or with a handle: to go on from it, where the network publishes it only once.
   * The network's verdict that nothing is out, here and in `poll` after `publish`, is a thrown failure with `restart`;
   * any other failure is one of the question itself, which is asked again.
   */
  reconcile(
    job: Job,
    handle: Handle,
  ): Promise<Published | Processing | { state: "not_published"; handle?: Handle } | { state: "cannot_tell" }>;
  /** Trades the refresh token for a new access token. `refreshToken` null means: keep the one you have. */
  refresh(
    network: NetworkConfig,
    tokens: { accessToken: string; refreshToken: string | null },
    io: Pick<Job, "fetch" | "now">,
  ): Promise<{ accessToken: string; refreshToken: string | null; expiresAt: Date | null }>;
}

/** A rule that a post breaks, in the caller's words: `caption`, `media.urls.2`, `settings.youtube.title`. */
export interface Violation {
  path: string;
  code: string;
  message: string;
  limit?: number;
  actual?: number | string;
  /** How `limit` and `actual` are counted, where that is not plain. */
  unit?: CaptionUnit;
}

export interface Driver extends Carrier {
  platform: Platform;
  capabilities: Capabilities;
  /** How long before its end a token is traded even if nobody posts, where what is traded dies of waiting. */
  renewAheadMs?: number;
  /** What the network refuses beyond its capabilities, as far as the content shows. `start` holds a post to the same. */
  validate?(content: Content): Violation[];
  /** The capabilities as they hold for this content, where its kind has limits of its own: a story, a lone GIF. */
  limits?(content: Content, able: Capabilities): Capabilities;
}

/**
 * transient: try again later. rate_limited: not before `retryAt`, where the network names it. auth: the token is dead, refresh once.
 * content, account: final, a person must act. unanswered: no answer came (in `publish`: the outcome is unknown).
 */
export type FailureClass = "transient" | "rate_limited" | "auth" | "content" | "account" | "unanswered";

export interface Failure {
  class: FailureClass;
  /** Stable and ours or the network's own word: `picture_size_check_failed`, `ig_2207010`. */
  code: string;
  /** One sentence for the customer: what went wrong, whose move it is, what to do. */
  message: string;
  retryAt?: Date | undefined;
  /** The network ended this attempt and nothing is out: its handle is worthless, a retry begins with `start`. */
  restart?: true | undefined;
}

type FailureError = Error & { failure: Failure };

/** Builds the error that drivers throw; the publisher reads it back with `failureOf`. */
export function failure(failed: Failure): FailureError {
  return Object.assign(new Error(`${failed.code}: ${failed.message}`), { failure: failed });
}

export function failureOf(error: unknown): Failure | null {
  return error instanceof Error && "failure" in error ? (error as FailureError).failure : null;
}
