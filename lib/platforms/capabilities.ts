// Capabilities of an account: the limits of its network, and for hosted accounts those of this service too.

import type { ContentKind, EditableField } from "../schemas/content-kinds.ts";
import type { Platform } from "../shared/platforms.ts";
import { capabilities as bluesky } from "./bluesky/rules.ts";
import { capabilities as facebook } from "./facebook/rules.ts";
import { capabilities as instagram } from "./instagram/rules.ts";
import { capabilities as linkedin } from "./linkedin/rules.ts";
import { capabilities as pinterest } from "./pinterest/rules.ts";
import type { AccountOption, Capabilities, CaptionUnit } from "./rules.ts";
import { TAKEDOWNS } from "./takedown.ts";
import { capabilities as threads } from "./threads/rules.ts";
import { capabilities as tiktok } from "./tiktok/rules.ts";
import { capabilities as twitter } from "./twitter/rules.ts";
import { capabilities as youtube } from "./youtube/rules.ts";

const CAPABILITIES: Readonly<Record<Platform, Capabilities>> = {
  instagram,
  tiktok,
  threads,
  youtube,
  linkedin,
  facebook,
  twitter,
  bluesky,
  pinterest,
};

export type AccountType = "byo" | "hosted";

/** Limits of this service for hosted accounts; the stricter of these and the network's apply. */
const HOSTED_LIMITS = {
  source: "service policy",
  read: "2026-11",
  captionLimit: 500,
  images: { max: 35, types: ["image/jpeg", "image/png"], maxBytes: 5_000_000 - 1 },
  videos: { minSeconds: 15, maxSeconds: 60, maxBytes: 100_000_000 - 1 },
} as const;

/** `grantedScopes`: null if the network did not say what the account permits. */
export function getCapabilities(
  platform: Platform,
  type: AccountType,
  grantedScopes: readonly string[] | null = null,
): Capabilities {
  const own = CAPABILITIES[platform];
  return withCarouselReason(type === "hosted" ? withHostedLimits(own) : withGrantedOnly(own, grantedScopes));
}

/** An optional permission that is not known to be granted is missing: connecting the account again grants it. */
function withGrantedOnly(own: Capabilities, grantedScopes: readonly string[] | null): Capabilities {
  const { firstComment, ...rest } = own;
  const { permission } = firstComment ?? {};
  if (!permission || permission.some((scope) => grantedScopes?.includes(scope))) return own;
  return { ...rest, missingForComment: permission };
}

const NO_CAROUSELS = "Carousels that mix images and videos are not supported. Send one video, or images only.";

function withCarouselReason(own: Capabilities): Capabilities {
  if (own.kinds.includes("mixed_carousel")) return own;
  return { ...own, unsupported: { mixed_carousel: NO_CAROUSELS, ...own.unsupported } };
}

function withHostedLimits(own: Capabilities): Capabilities {
  const { images, videos } = HOSTED_LIMITS;
  const accepted: readonly string[] = images.types;
  const policy = { source: HOSTED_LIMITS.source, read: HOSTED_LIMITS.read };
  return {
    ...omitPublisherCalls(own),
    kinds: own.kinds.filter((kind) => kind !== "text_only" && kind !== "mixed_carousel"),
    unsupported: { ...own.unsupported, text_only: "Hosted accounts need a video or at least one image." },
    caption: { ...own.caption, limit: Math.min(own.caption.limit, HOSTED_LIMITS.captionLimit) },
    images: {
      ...own.images,
      max: Math.min(own.images.max, images.max),
      maxBytes: Math.min(own.images.maxBytes, images.maxBytes),
      types: own.images.types.filter((type) => accepted.includes(type)),
    },
    videos: {
      ...own.videos,
      maxBytes: Math.min(own.videos.maxBytes, videos.maxBytes),
      minSeconds: Math.max(own.videos.minSeconds ?? 0, videos.minSeconds),
      maxSeconds: Math.min(own.videos.maxSeconds ?? Number.POSITIVE_INFINITY, videos.maxSeconds),
    },
    sources: { ...own.sources, "caption.limit": policy, images: policy, videos: policy },
    // TikTok options are available to connected accounts only.
    settingsSchema: own.platform === "tiktok" ? NO_SETTINGS : own.settingsSchema,
  };
}

/** The hosted publisher is handed over a post, with its alternative texts and cover, and is asked for nothing else. */
function omitPublisherCalls(own: Capabilities): Capabilities {
  const { firstComment, thread, linkCard, options, carousels, ...rest } = own;
  return rest;
}

const NO_SETTINGS = { type: "object", additionalProperties: false, properties: {} };

/** Capabilities in API responses. */
export interface DescribedCapabilities {
  supported_content_kinds: ContentKind[];
  caption_limit: number;
  caption_unit: CaptionUnit;
  media_limits: { max_images: number; max_videos: number; min_video_seconds?: number; max_video_seconds?: number };
  unsupported_content_kind_reasons: Partial<Record<ContentKind, string>>;
  alt_text_limit: number | null;
  first_comment_limit: number | null;
  thread: boolean;
  link_card: boolean;
  cover: { url: boolean; timestamp: boolean; index: boolean };
  /** What is out can be removed, and which of its fields can be changed. */
  unpublish: boolean;
  edit_published: EditableField[];
  options: AccountOption[];
  settings_schema: Record<string, unknown>;
}

/** By network, type and what is missing, because lists of accounts repeat them. */
const described = new Map<string, DescribedCapabilities>();

export function describeCapabilities(
  platform: Platform,
  type: AccountType,
  grantedScopes: readonly string[] | null,
): DescribedCapabilities {
  const capabilities = getCapabilities(platform, type, grantedScopes);
  const takedown = describeTakedown(platform, type, grantedScopes);
  const key = `${platform} ${type} ${capabilities.missingForComment ?? ""} ${takedown.unpublish}`;
  const known = described.get(key) ?? toDescription(capabilities, takedown);
  described.set(key, known);
  return known;
}

type DescribedTakedown = Pick<DescribedCapabilities, "unpublish" | "edit_published">;

function toDescription({ cover, ...own }: Capabilities, takedown: DescribedTakedown): DescribedCapabilities {
  const { minSeconds, maxSeconds } = own.videos;
  return {
    supported_content_kinds: [...own.kinds],
    caption_limit: own.caption.limit,
    caption_unit: own.caption.unit,
    media_limits: {
      max_images: own.images.max,
      max_videos: own.videos.max,
      ...(minSeconds === undefined ? {} : { min_video_seconds: minSeconds }),
      ...(maxSeconds === undefined ? {} : { max_video_seconds: maxSeconds }),
    },
    unsupported_content_kind_reasons: { ...own.unsupported },
    alt_text_limit: own.altText?.limit ?? null,
    first_comment_limit: own.firstComment?.limit ?? null,
    thread: own.thread ?? false,
    link_card: own.linkCard !== undefined,
    cover: { url: cover?.url ?? false, timestamp: cover?.timestamp ?? false, index: cover?.index ?? false },
    options: [...(own.options ?? [])],
    ...takedown,
    settings_schema: own.settingsSchema,
  };
}

/** The hosted publisher has no call for it. An account that is known to lack the permission has none either. */
function describeTakedown(
  platform: Platform,
  type: AccountType,
  grantedScopes: readonly string[] | null,
): DescribedTakedown {
  const { unpublish, edits, permissions } = TAKEDOWNS[platform];
  const lacksPermission = grantedScopes !== null && !permissions.some((scope) => grantedScopes.includes(scope));
  if (type === "hosted" || lacksPermission) return { unpublish: false, edit_published: [] };
  return { unpublish, edit_published: [...edits] };
}
