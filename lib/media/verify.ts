// The one door: do the stored bytes form a whole file of the declared type, and what is in it.
import { checkImage } from "./image.ts";
import type { ImageFacts } from "./image-facts.ts";
import { LIMITS } from "./limits.ts";
import { type Refusal, refusalOf, refuse } from "./refusal.ts";
import { sha256, sha256OfBytes } from "./sha256.ts";
import { sniff } from "./sniff.ts";
import { type Guarded, guard, type MediaSource } from "./source.ts";
import { checkVideo, type VideoFacts } from "./video.ts";

export const MEDIA_TYPES = [
  "image/jpeg",
  "image/png",
  "image/webp",
  "image/gif",
  "video/mp4",
  "video/quicktime",
  "video/webm",
] as const;
export type MediaType = (typeof MEDIA_TYPES)[number];

export interface Verified {
  contentType: MediaType;
  bytes: number;
  /** Lower-case hex of the whole object. */
  sha256: string;
  image?: ImageFacts;
  video?: VideoFacts;
}

export type Verdict = { ok: true; media: Verified } | ({ ok: false } & Refusal);

export type { ImageFacts, MediaSource, Refusal, VideoFacts };

/** Refusals are values; what is thrown is a failure of the storage or the aborted signal, and may be tried again. */
export async function verifyMedia(source: MediaSource, declared: string, signal?: AbortSignal): Promise<Verdict> {
  let guarded: Guarded | null = null;
  try {
    const contentType = checkDeclared(source, declared);
    guarded = await guard(source, signal);
    await checkKind(guarded, contentType);
    const facts = contentType.startsWith("image/")
      ? { image: await checkImage(await guarded.source.read(0, source.size), contentType) }
      : { video: await checkVideo(guarded, contentType) };
    signal?.throwIfAborted();
    return { ok: true, media: { contentType, bytes: source.size, sha256: await digest(guarded), ...facts } };
  } catch (error) {
    const broken = guarded?.failed();
    if (broken) throw broken.error;
    const refusal = refusalOf(error);
    if (!refusal) throw error;
    return { ok: false, ...refusal };
  }
}

function checkDeclared(source: MediaSource, declared: string): MediaType {
  const contentType = MEDIA_TYPES.find((type) => type === declared);
  if (!contentType) throw refuse("unsupported_type", `Files of type ${declared} are not supported.`);
  const image = contentType.startsWith("image/");
  if (source.size === 0) throw refuse("empty", "The file is empty.");
  if (source.size <= (image ? LIMITS.imageBytes : LIMITS.videoBytes)) return contentType;
  throw refuse("too_large", image ? "Images may have up to 20 MiB." : "Videos may have up to 5 GiB.");
}

async function checkKind({ source }: Guarded, declared: MediaType): Promise<void> {
  const kind = sniff(await source.read(0, Math.min(source.size, 4096)));
  if (kind === declared) return;
  if (kind) throw refuse("type_mismatch", `The file is declared as ${declared} but its bytes are ${kind}.`);
  throw refuse("container_unknown", `The file is declared as ${declared} but its bytes are of no known type.`);
}

/** A small object is already in memory, and what was checked is what is hashed. */
async function digest(guarded: Guarded): Promise<string> {
  if (guarded.whole) return sha256OfBytes(guarded.whole);
  const { hex, bytes } = await sha256(await guarded.source.stream());
  if (bytes !== guarded.source.size) throw new Error(`Storage streamed ${bytes} of ${guarded.source.size} bytes.`);
  return hex;
}
