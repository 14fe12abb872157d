// The state of a post and of its accounts, in words.

import type { FC } from "hono/jsx";
import type { QueuedDelivery, QueuedPost } from "../../../lib/queries/queue.ts";
import { listShownFiles } from "../../../lib/shared/post-media.ts";
import type { PostStatus } from "../../../lib/shared/post-status.ts";
import { formatDistance, formatInstant, getPlatformName } from "../format.ts";
import { formatMessage } from "../messages.ts";
import { PlatformMark } from "../platform-mark.tsx";

export const STATUS_WORDS: Record<PostStatus, string> = {
  draft: "Draft",
  pending: "Publishing",
  scheduled: "Scheduled",
  posted: "Published",
  partial: "Partly published",
  failed: "Failed",
  retry: "Trying again",
  deleted: "Taken down",
  void: "Canceled",
};

/** States that change without anybody's doing, so the page refreshes soon. */
export const MOVING: readonly PostStatus[] = ["pending", "retry"];

export const StatusBadge: FC<{ status: PostStatus | string }> = ({ status }) => (
  <span class={`badge ${status}`}>{STATUS_WORDS[status as PostStatus] ?? status}</span>
);

export const Thumbnail: FC<{ media: QueuedPost["media"]; large?: boolean }> = ({ media, large }) => {
  const size = large ? "thumbnail large" : "thumbnail";
  if (!media)
    return (
      <span class={`${size} text`} aria-hidden="true">
        Aa
      </span>
    );
  if (media.type === "video") {
    return large ? (
      <video class={size} src={media.url} controls preload="metadata" playsinline>
        <track kind="captions" />
      </video>
    ) : (
      <video class={size} data-src={media.url} preload="metadata" muted playsinline />
    );
  }
  const files = listShownFiles(media);
  const count = files.length;
  return (
    <span class={size}>
      <img src={files.find(({ kind }) => kind === "image")?.url} alt="" loading="lazy" decoding="async" />
      {count > 1 && <span class="count">{count}</span>}
    </span>
  );
};

const MAY_GO_OUT: readonly string[] = ["pending", "scheduled", "retry"] satisfies PostStatus[];

export const ACCOUNT_WORDS = {
  active: "connected",
  paused: "paused",
  disconnected: "disconnected",
  revoked: "disconnected: its owner ended the access at the network",
} as const;

interface DeliveryProps {
  delivery: QueuedDelivery;
  /** Published on this account instead of the caption of the post. */
  ownCaption?: string | undefined;
  now: Date;
  timeZone: string;
}

/** One account of a post: its state and, if it stopped, the reason and who has to act. */
export const DeliveryState: FC<DeliveryProps> = ({ delivery, ownCaption, now, timeZone }) => {
  const {
    platform,
    username,
    accountStatus,
    status,
    errorMessage,
    warnings,
    publishedUrl,
    publishedAt,
    nextAttemptAt,
  } = delivery;
  return (
    <li class={`delivery ${status}`}>
      <PlatformMark platform={platform} />
      <span class="who">
        <span class="visually-hidden">{getPlatformName(platform)} </span>
        {username}
      </span>
      <StatusBadge status={status} />
      {publishedUrl && status !== "deleted" && (
        <a href={publishedUrl} rel="noreferrer" target="_blank">
          View<span class="visually-hidden"> on {getPlatformName(platform)}</span>
        </a>
      )}
      {publishedAt && (
        <time datetime={publishedAt.toISOString()} title={formatInstant(publishedAt, timeZone)}>
          {formatDistance(publishedAt, now)}
        </time>
      )}
      {ownCaption && (
        <p class="own">
          Its own caption: <bdi>{ownCaption}</bdi>
        </p>
      )}
      {status === "retry" && nextAttemptAt && (
        <span class="hint">next attempt {formatDistance(nextAttemptAt, now)}</span>
      )}
      {MAY_GO_OUT.includes(status) && accountStatus !== "active" && (
        <p class="reason">
          Waits: the account is {ACCOUNT_WORDS[accountStatus]}.{" "}
          {accountStatus !== "paused" && "Connect it again before the post is due, or it is not sent there."}
        </p>
      )}
      {errorMessage && <p class="reason">{formatMessage(errorMessage, timeZone)}</p>}
      {warnings?.map(({ message }) => (
        <p class="reason">{formatMessage(message, timeZone)}</p>
      ))}
    </li>
  );
};
