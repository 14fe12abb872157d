// The limits of a network as data, for GET /accounts, the validation of posts and the docs.
import type { ContentKind } from "../schemas/content-kinds.ts";
import type { Platform } from "../shared/platforms.ts";

/** The unit in which a network counts a caption. */
export type CaptionUnit = "utf16" | "graphemes" | "utf8_bytes" | "emoji_as_bytes" | "weighted";

export const VIDEO_CODECS = {
  avc: "H.264",
  hevc: "HEVC",
  vp8: "VP8",
  vp9: "VP9",
  av1: "AV1",
  prores: "ProRes",
} as const;
export type VideoCodec = keyof typeof VIDEO_CODECS;

/** Source of a number, and when it was read. */
export interface Source {
  source: string;
  read: string;
}

/** Encoders write 60.02 or 22.98 frames per second where 60 and 23 are meant, and networks accept them. */
export const FRAME_RATE_TOLERANCE = 1;

/** The choices of an account at its network. */
export const ACCOUNT_OPTIONS = [
  "boards",
  "board_sections",
  "playlists",
  "categories",
  "privacy_levels",
  "topics",
] as const;
export type AccountOption = (typeof ACCOUNT_OPTIONS)[number];

export interface Range {
  min: number;
  max: number;
}

export interface Capabilities extends Source {
  platform: Platform;
  kinds: readonly ContentKind[];
  /** Why a kind is not supported, as a message to the caller. */
  unsupported: Partial<Record<ContentKind, string>>;
  caption: {
    limit: number;
    unit: CaptionUnit;
    maxBytes?: number;
    /** Of a text that is too long, links are shown shortened, and lead to the whole address. */
    shortensLinks?: true;
  };
  /** Sizes are inclusive, in bytes; ratios are width divided by height; `maxSides` holds in either orientation. */
  images: {
    max: number;
    types: readonly string[];
    maxBytes: number;
    minRatio?: number;
    maxRatio?: number;
    maxSides?: { short: number; long: number };
    maxPixels?: number;
  };
  videos: {
    max: number;
    types: readonly string[];
    maxBytes: number;
    minSeconds?: number;
    maxSeconds?: number;
    /** Width and height in pixels; both ends are inclusive. */
    sides?: Range;
    /** Width divided by height; both ends are inclusive. */
    ratios?: Range;
    /** Frames per second, as documented; see FRAME_RATE_TOLERANCE. */
    fps?: Range;
    /** Absent when the network specifies none, or accepts every codec of our files. */
    codecs?: readonly VideoCodec[];
    /** Codecs of the sound, by the demuxer's names; absent when the network specifies none. Others lead to a warning. */
    audioCodecs?: readonly string[];
  };
  /** Of carousels that mix images and videos: items at most. Absent when the network has none. */
  carousels?: { max: number };
  /** The longest alternative text of an image or video, in characters; absent when the network takes none. */
  altText?: { limit: number };
  /**
   * `permission`: the optional permission without which the account has none; any of them is enough. `isReply`: a reply to
   * the post, for which the rules of a post hold.
   */
  firstComment?: { limit: number; unit: CaptionUnit; permission?: readonly string[]; isReply?: true };
  /** The permission for first comments that the account has not granted, so that it has no `firstComment`. */
  missingForComment?: readonly string[];
  /** Replies below the post, each to the one before. */
  thread?: true;
  /** A link is shown as a card: one that we make from the tags of the page, or one that the network makes of the address. */
  linkCard?: "from_tags" | "by_network";
  /** `maxBytes` of an image. */
  cover?: { url?: true; timestamp?: true; index?: true; maxBytes?: number };
  /** The choices of an account that can be listed. */
  options?: readonly AccountOption[];
  /** Sources of single numbers that differ from `source`, by path: `videos.maxSeconds`. */
  sources: Readonly<Record<string, Source>>;
  /** JSON Schema for a dashboard composer. */
  settingsSchema: Record<string, unknown>;
}
