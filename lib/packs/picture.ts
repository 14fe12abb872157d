// The picture behind a URL: a file of the caller's is known already, any other is fetched and checked to its last byte.
import type { Call } from "../call.ts";
import { refuse } from "../errors.ts";
import { download, whyUnreachable } from "../guard.ts";
import { LIMITS } from "../media/limits.ts";
import { verifyBytes } from "../media/remote.ts";
import { sniff } from "../media/sniff.ts";
import type { ImageFacts } from "../media/verify.ts";
import type { FileRow } from "../queries/files.ts";

const FETCH_WITHIN_MS = 20_000;

export interface Picture {
  contentType: string;
  width: number;
  height: number;
}

type KnownFile = Pick<FileRow, "kind" | "contentType" | "width" | "height">;

/** Throws `image_unreachable` when there is nothing to look at, `invalid_image` when that is no whole picture. */
export async function lookAt(
  io: Pick<Call, "fetch" | "resolveHost" | "env">,
  url: string,
  known: KnownFile | undefined,
): Promise<Picture> {
  if (known) return ofFile(known);
  const bytes = await fetchBytes(io, url);
  const kind = sniff(bytes.subarray(0, 4096));
  if (!kind?.startsWith("image/")) {
    const found = bytes.length === 0 ? "no bytes at all" : (kind ?? "bytes of no known type");
    throw invalid(`The URL answers with ${found}, expected is a JPEG, PNG, WebP or GIF.`);
  }
  const verdict = await verifyBytes(io.env, bytes, kind);
  if (!verdict.ok) throw invalid(verdict.message);
  if (!verdict.media.image) throw new Error("verified bytes of an image have no facts of one");
  return { contentType: verdict.media.contentType, ...shown(verdict.media.image) };
}

function ofFile({ kind, contentType, width, height }: KnownFile): Picture {
  if (kind !== "image") throw invalid("The URL is that of a video.");
  return { contentType, width, height };
}

async function fetchBytes(io: Pick<Call, "fetch" | "resolveHost" | "env">, url: string): Promise<Uint8Array> {
  const guard = { fetch: io.fetch, resolveHost: io.resolveHost, allowedHosts: io.env.allowedHosts };
  const limits = { most: LIMITS.imageBytes, withinMs: FETCH_WITHIN_MS };
  const bytes = await download(guard, url, limits).catch((error: unknown) => {
    throw refuse("image_unreachable", `image_url: ${whyUnreachable(error)}`, { status: 400, cause: error });
  });
  if (!bytes) throw invalid("Images may have up to 20 MiB.");
  return bytes;
}

/** Orientations 5 to 8 lie on their side. */
function shown({ width, height, orientation }: ImageFacts): { width: number; height: number } {
  return orientation >= 5 ? { width: height, height: width } : { width, height };
}

function invalid(why: string) {
  return refuse("invalid_image", `image_url: ${why}`);
}
