// A post as each network gets it: the account, the text, the media and the settings of that network.
import type { FC } from "hono/jsx";
import type { QueuedDelivery, QueuedPost } from "../../lib/queries/queue.ts";
import { getPlatformName } from "./format.ts";
import { PlatformMark } from "./platform-mark.tsx";
import { PRIVACY_WORDS } from "./scripts/shared/privacy-words.ts";

type PreviewedDelivery = Pick<QueuedDelivery, "platform" | "username" | "displayName">;
type PreviewedPost = Pick<QueuedPost, "caption" | "media"> & {
  deliveries: PreviewedDelivery[];
  tiktok: Record<string, unknown> | null;
  pinterest: Record<string, unknown> | null;
  settings: Record<string, Record<string, unknown>>;
};

interface PreviewsProps {
  post: PreviewedPost;
  /** The page has a player elsewhere, whose script draws its frame here. */
  hasPlayer?: boolean;
}

export const Previews: FC<PreviewsProps> = ({ post, hasPlayer = false }) => (
  <ul class="previews">
    {post.deliveries.map((delivery) => (
      <Preview post={post} delivery={delivery} hasPlayer={hasPlayer} />
    ))}
  </ul>
);

interface PreviewProps {
  post: PreviewedPost;
  delivery: PreviewedDelivery;
  hasPlayer: boolean;
}

const Preview: FC<PreviewProps> = ({ post, delivery, hasPlayer }) => {
  const { platform, username, displayName } = delivery;
  const settings = listSettings(post, delivery);
  return (
    <li class="card preview">
      <div class="line">
        <PlatformMark platform={platform} />
        <strong>{displayName}</strong>
        <span class="hint">
          {getPlatformName(platform)} · {username}
        </span>
      </div>
      <PreviewMedia media={post.media} hasPlayer={hasPlayer} />
      <p class="caption">{post.caption}</p>
      {settings.length > 0 && (
        <dl class="facts">
          {settings.map(([name, value]) => (
            <>
              <dt>{name}</dt>
              <dd>{value}</dd>
            </>
          ))}
        </dl>
      )}
    </li>
  );
};

const PreviewMedia: FC<{ media: QueuedPost["media"]; hasPlayer: boolean }> = ({ media, hasPlayer }) => {
  if (!media) return null;
  if (media.type === "video" && hasPlayer) return <canvas data-frame="" aria-label="The video" role="img" />;
  if (media.type === "video") {
    return (
      <video src={media.url} controls preload="metadata" playsinline>
        <track kind="captions" />
      </video>
    );
  }
  return (
    // A list that scrolls must be reachable by keyboard.
    <ul class="slides" aria-label="Slides" tabindex={0}>
      {media.urls.map((url, at) => (
        <li>
          <img src={url} alt={`Slide ${at + 1}`} loading="lazy" />
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
