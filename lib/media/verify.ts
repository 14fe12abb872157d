// The one door: do the stored bytes form a whole file of the declared type, and what is in it.
import { createHash } from "node:crypto";
import { checkImage } from "./image.ts";
import type { ImageFacts } from "./image-facts.ts";
import { LIMITS } from "./limits.ts";
import { type Refusal, refusalOf, refuse } from "./refusal.ts";
import { sniff } from "./sniff.ts";
import { type Guarded, guard, type MediaSource } from "./source.ts";
import { MEDIA_TYPES, type MediaType } from "./types.ts";
import { checkVideo, type VideoFacts } from "./video.ts";

export interface Verified {
  contentType: MediaType;
  bytes: number;
  /** Lower-case hex of the whole object. */
  sha256: string;
  image?: ImageFacts;
  video?: VideoFacts;
}

export type Verdict = { ok: true; media: Verified } | ({ ok: false } & Refusal);

export type { ImageFacts, MediaSource, MediaType, Refusal, VideoFacts };

/** Refusals are values; what is thrown is a failure of the storage or the aborted signal, and may be tried again. */
export async function verifyMedia(source: MediaSource, declared: string, signal?: AbortSignal): Promise<Verdict> {
  let guarded: Guarded | null = null;
  try {
    const contentType = checkDeclared(source, declared);
    guarded = await guard(source, signal);
    await checkKind(guarded, contentType);
    const checked = contentType.startsWith("image/")
      ? await imageOf(guarded, contentType)
      : await videoOf(guarded, contentType);
    return { ok: true, media: { contentType, bytes: source.size, ...checked } };
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

async function imageOf({ source }: Guarded, contentType: MediaType) {
  const bytes = await source.read(0, source.size);
  const image = await checkImage(bytes, contentType);
  return { image, sha256: createHash("sha256").update(bytes).digest("hex") };
}

async function videoOf(guarded: Guarded, contentType: MediaType) {
  const { facts, sha256 } = await checkVideo(guarded, contentType);
  return { video: facts, sha256 };
}
