// Uploads images to Bluesky, and builds the embeds of a post from images and videos.
import { type DownloadedImage, downloadImage } from "../../media/download-image.ts";
import { measureCaption } from "../caption.ts";
import { pick, unanswered } from "../http.ts";
import type { ShownCard } from "../link-cards.ts";
import { getMediaSize, openRange } from "../media.ts";
import { type Content, contentFailure, type Job, type MediaFile, type Violation } from "../platform.ts";
import { callAccountServer } from "./account-server.ts";
import { readDimensions, unreadableImageFailure } from "./dimensions.ts";
import { assertSuccess } from "./errors.ts";
import { BLUESKY, capabilities } from "./rules.ts";
import { NETWORK } from "./xrpc.ts";

const UPLOAD_TIMEOUT_MS = 240_000;

/** Up to four images are embedded as `images`, which every client shows; more as a `gallery`, whose items need an aspect ratio. */
export async function createImagesEmbed(
  job: Job,
  server: string,
  files: MediaFile[],
): Promise<Record<string, unknown>> {
  const isGallery = files.length > BLUESKY.imagesEmbed;
  const items = [];
  for (const file of files) {
    const size = await readDimensions(job, file);
    if (isGallery && !size) throw unreadableImageFailure();
    items.push({
      image: await uploadImage(job, server, file),
      alt: file.altText ?? "",
      ...toAspectRatio(size ?? file),
    });
  }
  if (!isGallery) return { $type: "app.bsky.embed.images", images: items };
  return {
    $type: "app.bsky.embed.gallery",
    items: items.map((item) => ({ $type: "app.bsky.embed.gallery#image", ...item })),
  };
}

/** The text of a video is limited more than those of images. */
export function findAltTextViolations({ media }: Content): Violation[] {
  const limit = BLUESKY.videoAltGraphemes;
  const actual = measureCaption((media?.type === "video" && media.video.altText) || "", "graphemes");
  if (actual <= limit) return [];
  const message = `The alternative text of a video has ${actual} characters, but Bluesky allows at most ${limit}. Shorten it.`;
  return [{ path: "media.alt_text", code: "alt_text_too_long", message, limit, actual }];
}

export function buildVideoEmbed(blob: unknown, file: MediaFile): Record<string, unknown> {
  const alt = file.altText ? { alt: file.altText } : {};
  return { $type: "app.bsky.embed.video", video: blob, ...alt, ...toAspectRatio(file) };
}

function toAspectRatio({ width, height }: Pick<MediaFile, "width" | "height">) {
  return width && height ? { aspectRatio: { width, height } } : {};
}

/** The card of a link; its picture is left out when Bluesky does not take it. */
export async function createCardEmbed(
  job: Job,
  server: string,
  { url, title, description, imageUrl }: ShownCard,
): Promise<Record<string, unknown>> {
  const limits = { maxBytes: BLUESKY.cardImageBytes, types: capabilities.images.types };
  const image = imageUrl === null ? null : await downloadImage(job.fetchMedia, imageUrl, limits);
  const thumb = image && (await uploadBytes(job, server, image));
  return {
    $type: "app.bsky.embed.external",
    external: { uri: url, title, description, ...(thumb ? { thumb } : {}) },
  };
}

async function uploadBytes(job: Job, server: string, { bytes, type }: DownloadedImage): Promise<unknown> {
  const response = await callAccountServer(job, server, {
    method: "POST",
    name: "com.atproto.repo.uploadBlob",
    authorized: true,
    headers: { "content-type": type, "content-length": String(bytes.length) },
    openBody: async () => new Blob([bytes]).stream(),
    timeoutMs: UPLOAD_TIMEOUT_MS,
  });
  assertSuccess(job, response);
  return pick(response.body, "blob");
}

async function uploadImage(job: Job, server: string, file: MediaFile): Promise<unknown> {
  const size = await getSizeWithin(job, file, capabilities.images.maxBytes);
  const response = await callAccountServer(job, server, {
    method: "POST",
    name: "com.atproto.repo.uploadBlob",
    authorized: true,
    headers: { "content-type": file.mimeType ?? guessImageType(file.url), "content-length": String(size) },
    openBody: () => openRange(job, file.url, { first: 0, last: size - 1, total: size }),
    timeoutMs: UPLOAD_TIMEOUT_MS,
  });
  assertSuccess(job, response);
  const blob = pick(response.body, "blob");
  if (!blob) throw unanswered(NETWORK, "upload_without_blob");
  return blob;
}

function guessImageType(url: string): string {
  const extension = /\.(png|webp)$/i.exec(new URL(url).pathname)?.[1]?.toLowerCase();
  return extension ? `image/${extension}` : "image/jpeg";
}

export async function getSizeWithin(job: Job, file: MediaFile, maxBytes: number): Promise<number> {
  const size = await getMediaSize(job, file);
  if (size <= maxBytes) return size;
  throw contentFailure(
    "media_too_large",
    `The file has ${size} bytes, but Bluesky allows at most ${maxBytes}. Use a smaller one.`,
  );
}
