// Checks the image of a pack by its URL: the caller's own files were verified before, other URLs are fetched and verified here.

import { LIMITS } from "../media/limits.ts";
import { sniffType } from "../media/sniff-type.ts";
import type { ImageFacts } from "../media/verify-media.ts";
import { verifyImageBytes } from "../media/worker-client.ts";
import type { FileRow } from "../queries/files.ts";
import type { RequestContext } from "../services/context.ts";
import { describeFetchError, downloadUrl } from "../services/safe-fetch.ts";
import { apiError } from "../shared/errors.ts";
import { createIsolateConcurrencyLimiter } from "../shared/isolate-concurrency-limit.ts";

const FETCH_TIMEOUT_MS = 20_000;

/** Each takes up to 40 MiB of the 128 MiB of an isolate: 20 MiB in chunks, and joined. One per scope runs at a time. */
const CONCURRENT_IMAGES = 2;
const limitConcurrency = createIsolateConcurrencyLimiter(CONCURRENT_IMAGES);

export interface ImageInfo {
  contentType: string;
  width: number;
  height: number;
}

type InspectContext = Pick<RequestContext, "fetch" | "resolveHost" | "env" | "key">;
type KnownFile = Pick<FileRow, "kind" | "contentType" | "width" | "height">;

/** Throws `image_unreachable` when the URL cannot be fetched, and `invalid_image` when it is not a complete image. */
export async function inspectImage(
  context: InspectContext,
  url: string,
  known: KnownFile | undefined,
): Promise<ImageInfo> {
  if (known) return toImageInfo(known);
  return limitConcurrency(() => inspectRemoteImage(context, url), context.key.scope.id);
}

async function inspectRemoteImage(context: InspectContext, url: string): Promise<ImageInfo> {
  const bytes = await fetchImage(context, url);
  const kind = sniffType(bytes.subarray(0, 4096));
  if (!kind?.startsWith("image/")) {
    const found = bytes.length === 0 ? "an empty response" : (kind ?? "content of an unknown type");
    throw invalidImageError(`The URL returned ${found}; it must return a JPEG, PNG, WebP or GIF.`);
  }
  const verdict = await verifyImageBytes(context.env, bytes, kind);
  if (!verdict.ok) throw invalidImageError(verdict.message);
  if (!verdict.media.image) throw new Error("verified bytes of an image have no facts of one");
  return { contentType: verdict.media.contentType, ...toDisplaySize(verdict.media.image) };
}

function toImageInfo({ kind, contentType, width, height }: KnownFile): ImageInfo {
  if (kind !== "image") throw invalidImageError("The URL is a video; it must be an image.");
  return { contentType, width, height };
}

async function fetchImage(context: InspectContext, url: string): Promise<Uint8Array<ArrayBuffer>> {
  const guard = { fetch: context.fetch, resolveHost: context.resolveHost, allowedHosts: context.env.allowedHosts };
  const limits = { maxBytes: LIMITS.imageBytes, timeoutMs: FETCH_TIMEOUT_MS };
  const bytes = await downloadUrl(guard, url, limits).catch((error: unknown) => {
    throw apiError("image_unreachable", `image_url: ${describeFetchError(error)}`, { status: 400, cause: error });
  });
  if (!bytes) throw invalidImageError("The image is larger than 20 MiB.");
  return bytes;
}

/** EXIF orientations 5 to 8 swap width and height. */
function toDisplaySize({ width, height, orientation }: ImageFacts): { width: number; height: number } {
  return orientation >= 5 ? { width: height, height: width } : { width, height };
}

function invalidImageError(why: string) {
  return apiError("invalid_image", `image_url: ${why}`);
}
