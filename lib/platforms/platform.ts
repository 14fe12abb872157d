// The contract of network drivers, and the types that drivers and the publishing code share.
import type { RuleCode, WarningCode } from "../shared/field-codes.ts";
import type { NetworkConfig, Platform } from "../shared/platforms.ts";
import type { PostLink } from "../shared/post-content.ts";
import type { Edited, JobPart, PublishedEdit, PublishedPost, Removal } from "./published-post.ts";
import type { Capabilities, CaptionUnit } from "./rules.ts";

/** A media file as drivers need it. `bytes` and the other facts are null when only the URL is known. */
export interface MediaFile {
  url: string;
  mimeType: string | null;
  bytes: number | null;
  durationMs: number | null;
  width: number | null;
  height: number | null;
  /** Codec name of the demuxer, and frames per second; known for finalized videos only. */
  videoCodec?: string | null;
  fps?: number | null;
  /** `unknown` for a codec without a name; null without sound, and when it is not known whether there is any. */
  audioCodec?: string | null;
  /** A length in a header of the file that is not that of its frames; known for finalized videos only. */
  wrongDurationMs?: number | null;
  /** Describes the file to people who do not see it. */
  altText?: string | null;
}

/** The cover of a video or slideshow: at most one of the three. */
export interface Cover {
  image?: MediaFile;
  timestampMs?: number;
  index?: number;
}

export type Media =
  | { type: "video"; video: MediaFile }
  | { type: "slideshow"; images: MediaFile[] }
  | { type: "carousel"; items: (MediaFile & { kind: "image" | "video" })[] };

/** What one call publishes. */
export interface PartContent {
  caption: string;
  media: Media | null;
}

/** The content of one delivery. `settings` is the object of this network only, validated by its schema. */
export interface Content extends PartContent {
  musicUrl: string | null;
  settings: Record<string, unknown>;
  /** As `media` names it; it goes before the older field of the network's settings. */
  cover?: Cover | null;
  /** `{ url: null }`: no card; null or absent: the caller said nothing. */
  link?: PostLink | null;
  /** The replies below the post, in their order. */
  thread?: PartContent[] | null;
  firstComment?: string | null;
}

/** A connected account with its decrypted token. */
export interface Connection {
  accountId: string;
  /** The network's own id of the account (TikTok open_id, Instagram user id, channel id, DID ...). */
  externalId: string;
  /** Empty for a hosted account: the hosted publisher holds the token. */
  accessToken: string;
}

/** Everything a driver may use. Drivers access neither database nor environment. */
export interface Job {
  deliveryId: string;
  /** Of the call: a part of a thread has its own caption and media, a comment only a caption. */
  content: Content;
  /** Absent for the post itself. */
  part?: JobPart;
  connection: Connection;
  network: NetworkConfig;
  /** For the network's API. */
  fetch: typeof fetch;
  /** For media URLs given by callers: rejects addresses that are not public, also after redirects. */
  fetchMedia: (url: string, init: RequestInit) => Promise<Response>;
  now: () => Date;
}

/** JSON with the ids of network objects: containers, upload sessions, publish ids. Stored on the delivery row. */
export type Handle = Record<string, unknown>;

/** A part of the post that did not come out as asked; the post is published all the same. */
export interface PublishWarning {
  code: string;
  /** What is missing, who has to act and how. */
  message: string;
}

export interface Published {
  state: "published";
  /** The network's id of the post; null when the post is published but the network reports the id later. */
  platformPostId: string | null;
  url: string | null;
  warnings?: PublishWarning[];
}

/**
 * Not done yet: poll again in `afterMs` milliseconds. A changed handle replaces the stored one; with `afterMs` 0 it is
 * stored before the next poll, because what it says was done must not be repeated.
 */
export interface Processing {
  state: "processing";
  afterMs: number;
  handle?: Handle;
}

export interface RefreshedTokens {
  accessToken: string;
  refreshToken: string | null;
  expiresAt: Date | null;
  /** When the refresh token ends, if the network says so; null when renewing it moves its end. */
  refreshTokenExpiresAt?: Date | null | undefined;
}

/**
 * Publishes posts: the driver of a network, or the hosted publisher for accounts of any network. `Stored` is the handle
 * that `start` returned and the delivery row kept: a publisher only receives its own handles.
 */
export interface Publisher<Stored extends Handle = Handle> {
  /** Creates what publishing needs (containers, sessions). Nothing becomes visible; safe to repeat from the start. */
  start(job: Job): Promise<Stored>;
  /**
   * Publishes nothing. Before `publish`: processing or ready; it may create what needs finished parts, such as the
   * container of a carousel, and a repeat creates at most another one that is never published. After `publish`: read
   * only, processing or published; it may complete the published post by what can be repeated, such as its playlists.
   * A published post whose url is null can be polled with the same handle until the network reports the url.
   */
  poll(job: Job, handle: Stored): Promise<Processing | { state: "ready"; handle?: Handle } | Published>;
  /**
   * The single irreversible call. `sent`: the network accepted it and finishes asynchronously; continue with `poll`.
   * Throws `unanswered` when the outcome is unknown (no response, or a 5xx); any other failure means that nothing was
   * published.
   */
  publish(job: Job, handle: Stored): Promise<Published | { state: "sent"; handle: Handle }>;
  /**
   * Read only: determines the outcome of a `publish` whose response was lost. Processing: call again with its handle.
   * `not_published` allows a new `start`, or with a handle to continue from it, if the network publishes it only once.
   * When the network reports that nothing was published, here and in `poll` after `publish`, a failure with `restart`
   * is thrown; any other failure concerns the read itself, which is retried.
   */
  reconcile(
    job: Job,
    handle: Stored,
  ): Promise<Published | Processing | { state: "not_published"; handle?: Handle } | { state: "cannot_tell" }>;
  /** Returns a new access token. `refreshToken` null means that the stored one stays valid. */
  refresh(
    network: NetworkConfig,
    tokens: { accessToken: string; refreshToken: string | null },
    io: Pick<Job, "fetch" | "fetchMedia" | "now">,
  ): Promise<RefreshedTokens>;
}

/** A rule that a post breaks; `path` is a request field: `caption`, `media.urls.2`, `settings.youtube.title`. */
export interface Violation {
  path: string;
  code: RuleCode;
  message: string;
  limit?: number;
  actual?: number | string;
  /** Unit of `limit` and `actual`, where it is not obvious. */
  unit?: CaptionUnit;
}

/** Of a post that is accepted. */
export type Warning = Violation & { code: WarningCode };

export interface Driver<Stored extends Handle = Handle> extends Publisher<Stored> {
  platform: Platform;
  capabilities: Capabilities;
  /**
   * Accounts are connected by code in `connectors.ts`, which publishing does not load. `server`: by a
   * consent at the account's own server, where no app is registered, or by a password that the account's owner makes.
   */
  connectBy: "consent" | "server";
  /** A token is refreshed this long before it expires, without a post, where the refresh token expires too. */
  refreshAheadMs?: number;
  /**
   * Asks the network whether the account could publish this post now, or at least whether its token works; throws the
   * failure that `start` would. Absent where reading costs money.
   */
  check?(job: Job): Promise<void>;
  /**
   * Removes a post. Repeating it does no harm, so any failure may be retried. Absent where the API has no such call: then
   * `takedown.ts` says how a person does it.
   */
  unpublish?(job: Job, post: PublishedPost): Promise<Removal>;
  /** Changes a post. Repeating it ends the same. Absent where the API has no such call, as for `unpublish`. */
  edit?(job: Job, post: PublishedPost, edit: PublishedEdit): Promise<Edited>;
  /** Finds violations beyond the capabilities that the content shows. `start` enforces the same rules. */
  validate?(content: Content): Violation[];
  /** Finds what will probably fail or be changed by the network, although the post is accepted. */
  warn?(content: Content): Warning[];
  /** Returns the capabilities for this content, if its kind has special limits: a story, a single GIF. */
  limits?(content: Content, capabilities: Capabilities): Capabilities;
}

/** Declares a driver by the type of its handle. Everyone else passes back whatever handle the row holds. */
export function defineDriver<Stored extends Handle>(driver: Driver<Stored>): Driver {
  return driver;
}

/**
 * transient: retry later. rate_limited: not before `retryAt`, if the network reports it. auth: refresh the token once.
 * content, account: final, the caller must act. unanswered: no response (in `publish`: the outcome is unknown).
 */
export type FailureClass = "transient" | "rate_limited" | "auth" | "content" | "account" | "unanswered";

export interface Failure {
  class: FailureClass;
  /** Stable; our own or the network's: `picture_size_check_failed`, `ig_2207010`. */
  code: string;
  /** Message to the caller: what went wrong, who has to act and how. */
  message: string;
  retryAt?: Date | undefined;
  /** The network ended this attempt and published nothing: the handle is invalid and a retry begins with `start`. */
  restart?: true | undefined;
  /** The number of tries, if fewer than usual: some errors are temporary only at times. */
  tries?: number | undefined;
  /** The operator of this service has to act, such as updating an API version: logged as an error, and retried until then. */
  operator?: true | undefined;
}

/** An error code of a network stands for a class and a message; with `operator`, only the operator of this service can act. */
export type ErrorMeaning = readonly [FailureClass, string, "operator"?];

/** Ends the message of an operator's failure, so that nobody looks for it in the account. */
export const OPERATOR_ACTS = "This is not a problem of the account. We are informed and continue automatically.";

type FailureError = Error & { failure: Failure };

/** Builds the error that drivers throw; `getFailure` reads it back. */
export function failure(failed: Failure): FailureError {
  return Object.assign(new Error(`${failed.code}: ${failed.message}`), { failure: failed });
}

/** Final: the caller must change the post. */
export function contentFailure(code: string, message: string): FailureError {
  return failure({ class: "content", code, message });
}

/** Final: what a reply or comment would answer is gone. */
export function parentMissing(network: string): FailureError {
  const message = `The post that would be answered is no longer on ${network}. Create a new post.`;
  return failure({ class: "content", code: "parent_missing", message });
}

/** Final: what a reply or comment would answer is out, but its answer was lost and the network does not name it. */
export function parentUnknown(network: string): FailureError {
  const message = `The part before is on ${network}, but ${network} does not tell us which it is, so nothing can be published below it. Publish the rest by hand.`;
  return failure({ class: "content", code: "parent_unknown", message });
}

export function getFailure(error: unknown): Failure | null {
  return error instanceof Error && "failure" in error ? (error as FailureError).failure : null;
}
