// Holds a post against what a network takes: for its caller before anything is stored, for its driver before it leaves.
import { captionLength } from "./caption.ts";
import { type Content, failure, type MediaFile, type Violation } from "./platform.ts";
import { type Capabilities, type CaptionUnit, type ContentKind, type Range, VIDEO_CODECS } from "./rules.ts";

/**
 * The driver's last look: throws the first of its network's `own` violations, after those of words and of how many
 * images there are. Files are left to the network, which sees more of them than their facts tell.
 */
export function holdTo(content: Content, able: Capabilities, network: string, own: readonly Violation[]): void {
  const limits = [...captionViolations(content, able, network), ...countViolations(content, able, network)];
  const [first] = [...limits, ...own];
  if (first) throw failure({ class: "content", code: first.code, message: first.message });
}

/** All that capabilities say of a post. `who` takes it, in words: `X`, `the tiktok account northlight`. */
export function limitViolations(content: Content, able: Capabilities, who: string): Violation[] {
  const kind = kindOf(content);
  const words = captionViolations(content, able, who);
  if (able.kinds.includes(kind)) return [...words, ...mediaViolations(content, able, who)];
  const message = able.unsupported[kind] ?? `This kind of content is not for ${who}.`;
  return [...words, { path: "media", code: "content_kind_unsupported", message, actual: kind }];
}

function kindOf({ media }: Pick<Content, "media">): ContentKind {
  if (!media) return "text_only";
  if (media.type === "video") return "single_video";
  return media.images.length === 1 ? "single_image" : "multi_image";
}

const UNITS: Record<CaptionUnit, string> = {
  utf16: "characters",
  graphemes: "characters",
  utf8_bytes: "bytes",
  emoji_as_bytes: "characters, emoji counted by their bytes,",
  weighted: "characters, CJK and emoji counted as 2 and a link as 23,",
};

function captionViolations(
  { caption }: Pick<Content, "caption">,
  { caption: { limit, unit, maxBytes } }: Pick<Capabilities, "caption">,
  who: string,
): Violation[] {
  const over = (most: number, counted: CaptionUnit): Violation[] => {
    const actual = captionLength(caption, counted);
    if (actual <= most) return [];
    const message = `The caption has ${actual} ${UNITS[counted]} and ${who} takes at most ${most}. Shorten it.`;
    return [{ path: "caption", code: "caption_too_long", message, limit: most, actual, unit: counted }];
  };
  return [...over(limit, unit), ...(maxBytes === undefined ? [] : over(maxBytes, "utf8_bytes"))];
}

function countViolations(
  { media }: Pick<Content, "media">,
  { images: { max } }: Pick<Capabilities, "images">,
  who: string,
): Violation[] {
  if (media?.type !== "slideshow" || media.images.length <= max) return [];
  const actual = media.images.length;
  const message = `The post has ${actual} images and ${who} takes at most ${max}. Leave some out.`;
  return [{ path: "media", code: "too_many_images", message, limit: max, actual }];
}

function mediaViolations(content: Content, able: Capabilities, who: string): Violation[] {
  const { media } = content;
  if (!media) return [];
  if (media.type === "video") {
    return [
      ...fileViolations(media.video, able.videos, "media.url", who),
      ...codecViolations(media.video, able, who),
      ...pictureViolations(media.video, able, who),
      ...lengthViolations(media.video, able, who),
    ];
  }
  const each = media.images.flatMap((image, at) => {
    const path = `media.urls.${at}`;
    return [
      ...fileViolations(image, able.images, path, who),
      ...shapeViolations(image, able, path, who),
      ...scaleViolations(image, able, path, who),
    ];
  });
  return [...countViolations(content, able, who), ...each];
}

/** What nobody knows of a file is left to the network. */
function fileViolations(
  { mimeType, bytes }: MediaFile,
  { types, maxBytes }: { types: readonly string[]; maxBytes: number },
  path: string,
  who: string,
): Violation[] {
  const found: Violation[] = [];
  if (mimeType !== null && !types.includes(mimeType)) {
    const message = `The file is ${mimeType} and ${who} takes ${types.join(", ")}.`;
    found.push({ path, code: "media_type_unsupported", message, actual: mimeType });
  }
  if (bytes !== null && bytes > maxBytes) {
    const message = `The file has ${bytes} bytes and ${who} takes at most ${maxBytes}.`;
    found.push({ path, code: "media_too_large", message, limit: maxBytes, actual: bytes });
  }
  return found;
}

function shapeViolations(
  { width, height }: MediaFile,
  { images: { minRatio, maxRatio } }: Capabilities,
  path: string,
  who: string,
): Violation[] {
  if (!width || !height) return [];
  const ratio = width / height;
  const outside = (limit: number, bound: string): Violation[] => {
    const actual = Number(ratio.toFixed(4));
    const message = `The image is ${width} x ${height}, width by height ${actual}, and ${who} takes ${bound} ${limit}.`;
    return [{ path, code: "image_shape_unsupported", message, limit, actual }];
  };
  if (minRatio !== undefined && ratio < minRatio) return outside(minRatio, "at least");
  if (maxRatio !== undefined && ratio > maxRatio) return outside(maxRatio, "at most");
  return [];
}

function scaleViolations(
  { width, height }: MediaFile,
  { images: { maxSides, maxPixels } }: Capabilities,
  path: string,
  who: string,
): Violation[] {
  if (!width || !height) return [];
  const [short, long] = [Math.min(width, height), Math.max(width, height)];
  const tooLarge = (limit: number, actual: number, taken: string): Violation[] => {
    const message = `The image is ${width} x ${height} and ${who} takes at most ${taken}. Scale it down.`;
    return [{ path, code: "image_too_large", message, limit, actual }];
  };
  if (maxSides && (short > maxSides.short || long > maxSides.long)) {
    const [limit, actual] = short > maxSides.short ? [maxSides.short, short] : [maxSides.long, long];
    return tooLarge(limit, actual, `${maxSides.short} x ${maxSides.long}, either way up`);
  }
  const pixels = width * height;
  if (maxPixels !== undefined && pixels > maxPixels) return tooLarge(maxPixels, pixels, `${maxPixels} pixels in all`);
  return [];
}

function pictureViolations(
  { width, height, fps: rate }: MediaFile,
  { videos: { sides, fps } }: Capabilities,
  who: string,
): Violation[] {
  const found: Violation[] = [];
  const side = width && height && sides ? outOf(sides, [width, height]) : null;
  if (side && sides) {
    const message = `The video is ${width} x ${height} and ${who} takes sides of ${sides.min} to ${sides.max}. Scale it.`;
    found.push({ path: "media.url", code: "video_size_unsupported", message, ...side });
  }
  const beat = rate && fps ? outOf(fps, [rate]) : null;
  if (beat && fps) {
    const message = `The video has ${rate} frames a second and ${who} takes ${fps.min} to ${fps.max}. Convert it.`;
    found.push({ path: "media.url", code: "frame_rate_unsupported", message, ...beat });
  }
  return found;
}

/** The first value outside of the range, with the bound that it breaks. */
function outOf({ min, max }: Range, values: number[]): { limit: number; actual: number } | null {
  const actual = values.find((value) => value < min || value > max);
  return actual === undefined ? null : { limit: actual < min ? min : max, actual };
}

function codecViolations(
  { videoCodec }: Pick<MediaFile, "videoCodec">,
  { videos: { codecs } }: Pick<Capabilities, "videos">,
  who: string,
): Violation[] {
  if (!codecs || !videoCodec || codecs.some((codec) => codec === videoCodec)) return [];
  const named: Record<string, string> = VIDEO_CODECS;
  const taken = codecs.map((codec) => VIDEO_CODECS[codec]).join(", ");
  const message = `The video is encoded as ${named[videoCodec] ?? videoCodec} and ${who} takes ${taken}. Convert it.`;
  return [{ path: "media.url", code: "video_codec_unsupported", message, actual: videoCodec }];
}

function lengthViolations(
  { durationMs }: MediaFile,
  { videos: { minSeconds, maxSeconds } }: Capabilities,
  who: string,
): Violation[] {
  if (durationMs === null) return [];
  const actual = durationMs / 1000;
  const outside = (code: string, bound: string, limit: number): Violation[] => {
    const message = `The video has ${actual} seconds and ${who} takes ${bound} ${limit}.`;
    return [{ path: "media", code, message, limit, actual }];
  };
  if (maxSeconds !== undefined && actual > maxSeconds) return outside("video_too_long", "at most", maxSeconds);
  if (minSeconds !== undefined && actual < minSeconds) return outside("video_too_short", "at least", minSeconds);
  return [];
}
