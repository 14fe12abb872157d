// A post as each network gets it: the account, the text, the media and the settings of that network.

import type { FC } from "hono/jsx";
import type { ShownCard } from "../../lib/platforms/link-cards.ts";
import type { QueuedDelivery, QueuedPost } from "../../lib/queries/queue.ts";
import { YOUTUBE_FIELDS } from "../../lib/schemas/post-limits.ts";
import type { Platform } from "../../lib/shared/platforms.ts";
import type { AccountOverride } from "../../lib/shared/post-content.ts";
import { listShownFiles } from "../../lib/shared/post-media.ts";
import { getPlatformName } from "./format.ts";
import { PlatformMark } from "./platform-mark.tsx";
import { PreviewText } from "./preview-text.tsx";
import { PRIVACY_WORDS } from "./scripts/shared/privacy-words.ts";

type PreviewedDelivery = Pick<QueuedDelivery, "accountId" | "platform" | "username" | "displayName">;
type PreviewedPost = Pick<QueuedPost, "caption" | "media"> & {
  overrides: AccountOverride[];
  deliveries: PreviewedDelivery[];
  tiktok: Record<string, unknown> | null;
  pinterest: Record<string, unknown> | null;
  settings: Record<string, Record<string, unknown>>;
};

interface PreviewsProps {
  post: PreviewedPost;
  /** The page has a player elsewhere, whose script draws its frame here. */
  hasPlayer?: boolean;
  /** The card that a network shows for the link of the post, if it is known. */
  findCard?: (delivery: PreviewedDelivery) => ShownCard | null;
}

/** A video is played in one place: by the page, or in the first preview. */
export const Previews: FC<PreviewsProps> = ({ post, hasPlayer = false, findCard }) => (
  <ul class="previews">
    {post.deliveries.map((delivery, at) => (
      <Preview
        post={toAccountPost(post, delivery)}
        delivery={delivery}
        video={hasPlayer ? "frame" : at === 0 ? "player" : "above"}
        card={findCard?.(delivery) ?? null}
      />
    ))}
  </ul>
);

/** With what the account publishes instead of the post's own. */
function toAccountPost(post: PreviewedPost, { accountId }: PreviewedDelivery): PreviewedPost {
  const own = post.overrides.find(({ account_id }) => account_id === accountId);
  return { ...post, caption: own?.caption ?? post.caption, media: own?.media === undefined ? post.media : own.media };
}

interface PreviewProps {
  post: PreviewedPost;
  delivery: PreviewedDelivery;
  video: "frame" | "player" | "above";
  card: ShownCard | null;
}

/** Networks that show the media first, and the text below it. */
const MEDIA_FIRST: readonly Platform[] = ["tiktok", "instagram", "youtube", "pinterest"];

const Preview: FC<PreviewProps> = ({ post, delivery, video, card }) => {
  const { platform, username, displayName } = delivery;
  const settings = listSettings(post, delivery);
  const isStory = platform === "instagram" && post.settings.instagram?.post_type === "story";
  const media = <PreviewMedia media={post.media} video={video} />;
  const isMediaFirst = MEDIA_FIRST.includes(platform);
  return (
    <li class={`card preview ${platform} ${isStory ? "story" : ""} ${post.media?.type ?? "text"}`}>
      <div class="author">
        <span class="avatar" aria-hidden="true">
          {displayName.charAt(0).toUpperCase()}
        </span>
        <span>
          <strong>{displayName}</strong>
          <small>
            {getPlatformName(platform)} · {username}
          </small>
        </span>
        <PlatformMark platform={platform} />
      </div>
      {isMediaFirst && media}
      {!isStory && <PreviewWords post={post} delivery={delivery} />}
      {!isMediaFirst && media}
      {card && <PreviewCard card={card} />}
      {settings.length > 0 && (
        <details class="help">
          <summary>Settings for {getPlatformName(platform)}</summary>
          <dl class="facts">
            {settings.map(([name, value]) => (
              <>
                <dt>{name}</dt>
                <dd>{value}</dd>
              </>
            ))}
          </dl>
        </details>
      )}
    </li>
  );
};

/** The picture is shown from where it is, as the network will read it. */
const PreviewCard: FC<{ card: ShownCard }> = ({ card: { url, title, description, imageUrl } }) => (
  <div class="link-card">
    {imageUrl && <img src={imageUrl} alt="" loading="lazy" referrerpolicy="no-referrer" />}
    <p>
      <small>{new URL(url).host}</small>
      <strong>{title}</strong>
      {description && <span>{description}</span>}
    </p>
  </div>
);

/** The text, and the title where the network has one. */
const PreviewWords: FC<{ post: PreviewedPost; delivery: PreviewedDelivery }> = ({ post, delivery }) => {
  const { platform, username } = delivery;
  if (platform === "youtube") {
    const { title, description } = post.settings.youtube ?? {};
    return (
      <>
        <strong class="title">
          {String(title ?? post.caption.split("\n")[0] ?? "").slice(0, YOUTUBE_FIELDS.title)}
        </strong>
        <PreviewText platform={platform} text={String(description ?? post.caption)} />
      </>
    );
  }
  const title = platform === "pinterest" ? post.pinterest?.title : undefined;
  const isNamed = platform === "instagram" || platform === "tiktok";
  return (
    <>
      {typeof title === "string" && <strong class="title">{title}</strong>}
      <PreviewText platform={platform} text={post.caption} author={isNamed ? username : undefined} />
    </>
  );
};

const PreviewMedia: FC<{ media: QueuedPost["media"]; video: PreviewProps["video"] }> = ({ media, video }) => {
  if (!media) return null;
  if (media.type === "video") {
    if (video === "above") return <p class="frame hint">The same video as above.</p>;
    if (video === "frame") return <canvas class="frame" data-frame="" role="img" aria-label="A frame of the video" />;
    return (
      <video class="frame" src={media.url} controls preload="metadata" playsinline>
        <track kind="captions" />
      </video>
    );
  }
  return (
    // A list that scrolls must be reachable by keyboard.
    <ul class="slides" aria-label="Slides" tabindex={0}>
      {listShownFiles(media).map(({ url, kind }, at) => (
        <li>
          {kind === "image" ? (
            <a href={url} target="_blank" rel="noreferrer">
              <img src={url} alt={`Slide ${at + 1}`} loading="lazy" />
            </a>
          ) : (
            <video class="frame" src={url} controls preload="metadata" playsinline>
              <track kind="captions" />
            </video>
          )}
        </li>
      ))}
    </ul>
  );
};

/** The settings of the post for the network of a delivery, in words. */
function listSettings(post: PreviewedPost, { platform }: PreviewedDelivery): [string, string][] {
  const own = {
    ...(platform === "tiktok" ? post.tiktok : platform === "pinterest" ? post.pinterest : null),
    ...post.settings[platform],
  };
  return platform === "tiktok" ? describeTikTok(own) : describe(own);
}

function describe(settings: Record<string, unknown>): [string, string][] {
  return Object.entries(settings)
    .filter(([, value]) => value !== null && value !== undefined && value !== "")
    .map(([name, value]) => [toWords(name), toValue(value)]);
}

/** In the words of TikTok's app; consent is for the record and not shown. */
function describeTikTok(settings: Record<string, unknown>): [string, string][] {
  const { privacy_level, disable_comment, disable_duet, disable_stitch, ...others } = settings;
  const { is_commercial: _, is_your_brand, is_branded_content, user_consent: __, ...rest } = others;
  const label = is_branded_content ? "Paid partnership" : is_your_brand ? "Promotional content" : null;
  const facts: [string, unknown][] = [
    ["Who can view", PRIVACY_WORDS[String(privacy_level)]],
    ["Comments", toSwitch(disable_comment)],
    ["Duets", toSwitch(disable_duet)],
    ["Stitches", toSwitch(disable_stitch)],
    ["Label", label],
  ];
  return [...describe(Object.fromEntries(facts)), ...describe(rest)];
}

function toSwitch(isOff: unknown): string | null {
  return typeof isOff === "boolean" ? (isOff ? "off" : "on") : null;
}

function toWords(name: string): string {
  const words = name
    .replaceAll("_", " ")
    .replaceAll(/([a-z])([A-Z])/g, "$1 $2")
    .toLowerCase();
  return words.charAt(0).toUpperCase() + words.slice(1);
}

function toValue(value: unknown): string {
  if (typeof value === "boolean") return value ? "yes" : "no";
  return typeof value === "object" ? JSON.stringify(value) : String(value);
}
