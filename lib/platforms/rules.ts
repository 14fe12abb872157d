// What a network accepts, as data: capabilities of GET /accounts, the post checks and the docs all read these.
import type { Platform } from "./platform.ts";

export const CONTENT_KINDS = ["text_only", "single_image", "multi_image", "single_video"] as const;
export type ContentKind = (typeof CONTENT_KINDS)[number];

/** How a network counts a caption. */
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

/** Where a number comes from, and when it was read. */
export interface Source {
  source: string;
  read: string;
}

export interface Range {
  min: number;
  max: number;
}

export interface Capabilities extends Source {
  platform: Platform;
  kinds: readonly ContentKind[];
  /** Why a kind is missing, in words for the customer. */
  unsupported: Partial<Record<ContentKind, string>>;
  caption: { limit: number; unit: CaptionUnit; maxBytes?: number };
  /** Sizes are inclusive bytes; ratios are width divided by height; an image may lie on either of its sides. */
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
    /** Pixels of width and of height, and frames a second; both ends are taken. */
    sides?: Range;
    fps?: Range;
    /** Absent where the network names none, or takes all that a file here may have. */
    codecs?: readonly VideoCodec[];
  };
  /** Where single numbers come from when not from `source`, by their path: `videos.maxSeconds`. */
  sources: Readonly<Record<string, Source>>;
  /** JSON Schema for a dashboard composer. */
  settingsSchema: Record<string, unknown>;
}
