// Checks a post against the limits of a network: for the caller before it is stored, for the driver before it is sent.

import type { ContentKind } from "../schemas/content-kinds.ts";
import { measureWithinLimit } from "./caption.ts";
import { type Content, type Driver, failure, type MediaFile, type Violation, type Warning } from "./platform.ts";
import { type Capabilities, type CaptionUnit, FRAME_RATE_TOLERANCE, type Range, VIDEO_CODECS } from "./rules.ts";
import { fitCaption } from "./shown-caption.ts";

/**
 * Final check of a driver: throws the first violation of caption length, number of images or the network's `own`
 * rules. Files are left to the network, which knows more about them than the stored facts.
 */
export function assertWithinLimits(
  content: Content,
  capabilities: Capabilities,
  network: string,
  own: readonly Violation[],
): void {
  const limits = [
    ...findCaptionViolations(content, capabilities, network),
    ...findBlankText(content, capabilities, network),
    ...findCountViolations(content, capabilities, network),
  ];
  const [first] = [...limits, ...own];
  if (first) throw failure({ class: "content", code: first.code, message: first.message });
}

/** Finds what of a post the driver's network would reject by its rules; `capabilities` are those of the account. */
export function findContentViolations(
  driver: Pick<Driver, "limits" | "validate"> | undefined,
  content: Content,
  capabilities: Capabilities,
  who: string,
): Violation[] {
  const limits = driver?.limits?.(content, capabilities) ?? capabilities;
  return [...findLimitViolations(content, limits, who), ...(driver?.validate?.(content) ?? [])];
}

/** Finds all violations of the capabilities. `who` is used in messages: `X`, `the tiktok account northlight`. */
export function findLimitViolations(content: Content, capabilities: Capabilities, who: string): Violation[] {
  const kind = getContentKind(content);
  const caption = findCaptionViolations(content, capabilities, who);
  if (capabilities.kinds.includes(kind)) {
    return [
      ...caption,
      ...findBlankText(content, capabilities, who),
      ...findMediaViolations(content, capabilities, who),
    ];
  }
  const message = capabilities.unsupported[kind] ?? `Publishing this kind of content to ${who} is not supported.`;
  return [...caption, { path: "media", code: "content_kind_unsupported", message, actual: kind }];
}

function getContentKind({ media }: Pick<Content, "media">): ContentKind {
  if (!media) return "text_only";
  if (media.type === "video") return "single_video";
  if (media.type === "carousel") return "mixed_carousel";
  return media.images.length === 1 ? "single_image" : "multi_image";
}

/** Spaces and characters that are never shown, such as a zero width space. */
export const isBlank = (text: string): boolean => !/[^\s\p{Default_Ignorable_Code_Point}]/u.test(text);

/** Networks remove white space at both ends, and reject what is left or publish a post without content. */
function findBlankText({ caption, media }: Content, { kinds }: Capabilities, who: string): Violation[] {
  if (media || !kinds.includes("text_only") || !isBlank(caption)) return [];
  const message = `The caption is blank, but ${who} needs text where there is no media. Write one.`;
  return [{ path: "caption", code: "text_blank", message }];
}

const UNIT_LABELS: Record<CaptionUnit, string> = {
  utf16: "characters",
  graphemes: "characters",
  utf8_bytes: "bytes",
  emoji_as_bytes: "characters (emoji counted by their bytes)",
  weighted: "characters (CJK and emoji counted as 2, a link as 23)",
};

function findCaptionViolations(
  content: Pick<Content, "caption">,
  { caption: rule }: Pick<Capabilities, "caption">,
  who: string,
): Violation[] {
  const { limit, unit, maxBytes } = rule;
  const { text: caption } = fitCaption(content.caption, rule);
  const over = (most: number, counted: CaptionUnit): Violation[] => {
    const { length: actual, isExact } = measureWithinLimit(caption, counted, most);
    if (actual <= most) return [];
    const message = `The caption has ${isExact ? "" : "at least "}${actual} ${UNIT_LABELS[counted]}, but ${who} allows at most ${most}. Shorten it.`;
    return [{ path: "caption", code: "caption_too_long", message, limit: most, actual, unit: counted }];
  };
  return [...over(limit, unit), ...(maxBytes === undefined ? [] : over(maxBytes, "utf8_bytes"))];
}

function findCountViolations(
  { media }: Pick<Content, "media">,
  { images: { max }, carousels }: Pick<Capabilities, "images" | "carousels">,
  who: string,
): Violation[] {
  if (media?.type === "carousel" && carousels && media.items.length > carousels.max) {
    const [limit, actual] = [carousels.max, media.items.length];
    const message = `The carousel has ${actual} items, but ${who} allows at most ${limit}. Remove some.`;
    return [{ path: "media", code: "too_many_images", message, limit, actual }];
  }
  if (media?.type !== "slideshow" || media.images.length <= max) return [];
  const actual = media.images.length;
  const message = `The post has ${actual} images, but ${who} allows at most ${max}. Remove some.`;
  return [{ path: "media", code: "too_many_images", message, limit: max, actual }];
}

function findMediaViolations(content: Content, capabilities: Capabilities, who: string): Violation[] {
  const { media } = content;
  if (!media) return [];
  if (media.type === "video") return findVideoViolations(media.video, capabilities, "media.url", who);
  const each =
    media.type === "slideshow"
      ? media.images.flatMap((image, at) => findImageViolations(image, capabilities, `media.urls.${at}`, who))
      : media.items.flatMap(({ kind, ...file }, at) => {
          const findViolations = kind === "video" ? findVideoViolations : findImageViolations;
          return findViolations(file, capabilities, `media.items.${at}.url`, who);
        });
  return [...findCountViolations(content, capabilities, who), ...each];
}

function findVideoViolations(video: MediaFile, capabilities: Capabilities, path: string, who: string): Violation[] {
  // The length is a fact of the post, where it has only one video.
  const lengthPath = path === "media.url" ? "media" : path;
  return [
    ...findFileViolations(video, capabilities.videos, path, who),
    ...findCodecViolations(video, capabilities, path, who),
    ...findVideoFrameViolations(video, capabilities, path, who),
    ...findDurationViolations(video, capabilities, lengthPath, who),
  ];
}

function findImageViolations(image: MediaFile, capabilities: Capabilities, path: string, who: string): Violation[] {
  return [
    ...findFileViolations(image, capabilities.images, path, who),
    ...findAspectRatioViolations(image, capabilities, path, who),
    ...findDimensionViolations(image, capabilities, path, who),
  ];
}

/** Facts that are unknown are left to the network. */
function findFileViolations(
  { mimeType, bytes }: MediaFile,
  { types, maxBytes }: { types: readonly string[]; maxBytes: number },
  path: string,
  who: string,
): Violation[] {
  const found: Violation[] = [];
  if (mimeType !== null && !types.includes(mimeType)) {
    const message = `The file is ${mimeType}, but ${who} allows only ${types.join(", ")}. ${describeConversion(types)}`;
    found.push({ path, code: "media_type_unsupported", message, actual: mimeType });
  }
  if (bytes !== null && bytes > maxBytes) {
    const message = `The file has ${bytes} bytes, but ${who} allows at most ${maxBytes}. Use a smaller file.`;
    found.push({ path, code: "media_too_large", message, limit: maxBytes, actual: bytes });
  }
  return found;
}

function describeConversion(types: readonly string[]): string {
  const target = types.includes("image/jpeg") ? " to JPEG" : types.includes("video/mp4") ? " to MP4" : "";
  return `Convert it${target}.`;
}

function findAspectRatioViolations(
  { width, height }: MediaFile,
  { images: { minRatio, maxRatio } }: Capabilities,
  path: string,
  who: string,
): Violation[] {
  if (!width || !height) return [];
  const ratio = width / height;
  const outside = (limit: number, bound: string): Violation[] => {
    const actual = Number(ratio.toFixed(4));
    const message = `The image is ${width} x ${height} (aspect ratio ${actual}), but ${who} requires an aspect ratio of ${bound} ${limit}. Crop it.`;
    return [{ path, code: "image_shape_unsupported", message, limit, actual }];
  };
  if (minRatio !== undefined && ratio < minRatio) return outside(minRatio, "at least");
  if (maxRatio !== undefined && ratio > maxRatio) return outside(maxRatio, "at most");
  return [];
}

function findDimensionViolations(
  { width, height }: MediaFile,
  { images: { maxSides, maxPixels } }: Capabilities,
  path: string,
  who: string,
): Violation[] {
  if (!width || !height) return [];
  const [short, long] = [Math.min(width, height), Math.max(width, height)];
  const tooLarge = (limit: number, actual: number, allowed: string): Violation[] => {
    const message = `The image is ${width} x ${height}, but ${who} allows at most ${allowed}. Scale it down.`;
    return [{ path, code: "image_too_large", message, limit, actual }];
  };
  if (maxSides && (short > maxSides.short || long > maxSides.long)) {
    const [limit, actual] = short > maxSides.short ? [maxSides.short, short] : [maxSides.long, long];
    return tooLarge(limit, actual, `${maxSides.short} x ${maxSides.long} in either orientation`);
  }
  const pixels = width * height;
  if (maxPixels !== undefined && pixels > maxPixels) return tooLarge(maxPixels, pixels, `${maxPixels} pixels in total`);
  return [];
}

function findVideoFrameViolations(
  { width, height, fps: rate }: MediaFile,
  { videos: { sides, ratios, fps } }: Capabilities,
  path: string,
  who: string,
): Violation[] {
  const found: Violation[] = [];
  const shape = width && height && ratios ? findOutOfRange(ratios, [width / height]) : null;
  if (shape && ratios) {
    const message = `The video is ${width} x ${height}, but ${who} requires an aspect ratio of ${ratios.min.toFixed(2)} to ${ratios.max}. Crop it.`;
    found.push({ path, code: "video_size_unsupported", message, ...shape });
  }
  const dimension = width && height && sides ? findOutOfRange(sides, [width, height]) : null;
  if (dimension && sides) {
    const message = `The video is ${width} x ${height}, but ${who} requires sides of ${sides.min} to ${sides.max} pixels. Scale it.`;
    found.push({ path, code: "video_size_unsupported", message, ...dimension });
  }
  if (rate && fps && rate > fps.max + FRAME_RATE_TOLERANCE) {
    const message = `The video has ${rate} frames per second, but ${who} allows only ${fps.min} to ${fps.max}. Convert it.`;
    const [limit, actual] = [fps.max, rate];
    found.push({ path, code: "frame_rate_unsupported", message, limit, actual });
  }
  return found;
}

/**
 * Finds what a network may reject by its limits although the post is accepted. The known rate is an average: screen
 * recordings skip frames in which nothing moves, and networks take them all the same.
 */
export function findLimitWarnings(
  { media }: Pick<Content, "media">,
  { videos: { fps, audioCodecs } }: Pick<Capabilities, "videos">,
  who: string,
): Warning[] {
  if (media?.type !== "video") return [];
  const { fps: rate, audioCodec, wrongDurationMs, durationMs } = media.video;
  const found: Warning[] = [];
  if (rate && fps && rate < fps.min - FRAME_RATE_TOLERANCE) {
    const message = `The video has ${rate} frames per second on average, but ${who} asks for ${fps.min} to ${fps.max} and may reject it. Convert it to a constant rate.`;
    found.push({ path: "media.url", code: "frame_rate_low", message, limit: fps.min, actual: rate });
  }
  if (audioCodecs && audioCodec && !audioCodecs.includes(audioCodec)) {
    const allowed = audioCodecs.map((codec) => codec.toUpperCase()).join(" or ");
    const message = `The audio of the video is encoded as ${audioCodec}, but ${who} asks for ${allowed} and may reject it. Export the video with ${allowed} audio.`;
    found.push({ path: "media.url", code: "audio_codec_unusual", message, actual: audioCodec });
  }
  if (wrongDurationMs && durationMs) {
    found.push({ path: "media.url", ...describeWrongDuration(wrongDurationMs, durationMs) });
  }
  return found;
}

/** A warning about a video that some programs show with another length. */
export function describeWrongDuration(wrongMs: number, durationMs: number) {
  const message = `A header of the video says ${wrongMs / 1000} seconds, but its frames last ${durationMs / 1000} seconds, which counts here. A network that reads the header may cut or reject the video. Export it again.`;
  return { code: "video_length_unclear" as const, message };
}

/** Returns the first value outside the range, with the bound that it exceeds. */
function findOutOfRange({ min, max }: Range, values: number[]): { limit: number; actual: number } | null {
  const actual = values.find((value) => value < min || value > max);
  return actual === undefined ? null : { limit: actual < min ? min : max, actual };
}

function findCodecViolations(
  { videoCodec }: Pick<MediaFile, "videoCodec">,
  { videos: { codecs } }: Pick<Capabilities, "videos">,
  path: string,
  who: string,
): Violation[] {
  if (!codecs || !videoCodec || codecs.some((codec) => codec === videoCodec)) return [];
  const named: Record<string, string> = VIDEO_CODECS;
  const allowed = codecs.map((codec) => VIDEO_CODECS[codec]).join(", ");
  const message = `The video is encoded as ${named[videoCodec] ?? videoCodec}, but ${who} allows only ${allowed}. Convert it.`;
  return [{ path, code: "video_codec_unsupported", message, actual: videoCodec }];
}

function findDurationViolations(
  { durationMs }: MediaFile,
  { videos: { minSeconds, maxSeconds } }: Capabilities,
  path: string,
  who: string,
): Violation[] {
  if (durationMs === null) return [];
  const actual = durationMs / 1000;
  const outside = (code: "video_too_long" | "video_too_short", bound: string, limit: number): Violation[] => {
    const message = `The video is ${actual} seconds long, but ${who} requires ${bound} ${limit} seconds.`;
    return [{ path, code, message, limit, actual }];
  };
  if (maxSeconds !== undefined && actual > maxSeconds) return outside("video_too_long", "at most", maxSeconds);
  if (minSeconds !== undefined && actual < minSeconds) return outside("video_too_short", "at least", minSeconds);
  return [];
}
