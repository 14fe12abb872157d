// Entry point of verification: checks that an object is a complete file of the declared type, and reads its facts.
import { createHash } from "node:crypto";
import {
  type DeclaredType,
  describeCure,
  findDeclaredType,
  findMediaType,
  type MediaType,
  UNKNOWN_TYPE,
} from "../shared/media-types.ts";
import { type BudgetedSource, openBudgetedSource } from "./budgeted-source.ts";
import { checkImage } from "./image/check-image.ts";
import type { ImageFacts } from "./image/image-facts.ts";
import { LIMITS } from "./limits.ts";
import type { MediaSource } from "./media-source.ts";
import { sniffType } from "./sniff-type.ts";
import { getVerificationFailure, type VerificationFailure, verificationError } from "./verification-error.ts";
import { checkVideo, type VideoFacts } from "./video/check-video.ts";

export interface VerifiedMedia {
  /** The type that the bytes have; the declared type may have named another of the same kind, or nothing. */
  contentType: MediaType;
  bytes: number;
  /** Lower-case hex, of the whole object. */
  sha256: string;
  image?: ImageFacts;
  video?: VideoFacts;
}

export type Verdict = { ok: true; media: VerifiedMedia } | ({ ok: false } & VerificationFailure);

export type { ImageFacts, MediaSource, MediaType, VerificationFailure, VideoFacts };

/** A failed check is returned. Only storage errors and an aborted signal are thrown; both may be retried. */
export async function verifyMedia(source: MediaSource, declared: string, signal?: AbortSignal): Promise<Verdict> {
  let budgeted: BudgetedSource | null = null;
  try {
    const declaredType = checkDeclared(source, declared);
    budgeted = await openBudgetedSource(source, signal);
    const contentType = await findActualType(budgeted, declaredType);
    checkSize(source.size, contentType);
    const checked = contentType.startsWith("image/")
      ? await verifyImageFile(budgeted, contentType)
      : await verifyVideoFile(budgeted, contentType);
    return { ok: true, media: { contentType, bytes: source.size, ...checked } };
  } catch (error) {
    const storageFailure = budgeted?.getStorageFailure();
    if (storageFailure) throw storageFailure.error;
    const failure = getVerificationFailure(error);
    if (!failure) throw error;
    return { ok: false, ...failure };
  }
}

function checkDeclared(source: MediaSource, declared: string): DeclaredType {
  const contentType = findDeclaredType(declared);
  if (!contentType)
    throw verificationError(
      "unsupported_type",
      `Files of type ${declared} are not supported. ${describeCure(declared)}`,
    );
  if (source.size === 0) throw verificationError("empty", "The file is empty.");
  checkSize(source.size, contentType);
  return contentType;
}

function checkSize(size: number, contentType: DeclaredType): void {
  const image = contentType.startsWith("image/");
  if (size <= (image ? LIMITS.imageBytes : LIMITS.videoBytes)) return;
  throw verificationError(
    "too_large",
    image ? "The image is larger than 20 MiB, the maximum." : "The video is larger than 5 GiB, the maximum.",
  );
}

/** The bytes decide among images and among videos: names and endings are often old or wrong. */
async function findActualType({ source }: BudgetedSource, declared: DeclaredType): Promise<MediaType> {
  const kind = sniffType(await source.read(0, Math.min(source.size, 4096)));
  const actual = kind && findMediaType(kind);
  if (actual && (declared === UNKNOWN_TYPE || getGroup(actual) === getGroup(declared))) return actual;
  const content = `content is ${kind ?? "not a supported image or video"}.`;
  const what =
    declared === UNKNOWN_TYPE ? `The file's ${content}` : `The file is declared as ${declared}, but its ${content}`;
  const cure = actual ? "Start the upload with the matching contentType." : describeCure(kind ?? "");
  throw verificationError(kind ? "type_mismatch" : "container_unknown", `${what} ${cure}`);
}

const getGroup = (type: string) => type.split("/")[0];

async function verifyImageFile({ source }: BudgetedSource, contentType: MediaType) {
  const bytes = await source.read(0, source.size);
  const image = await checkImage(bytes, contentType);
  return { image, sha256: createHash("sha256").update(bytes).digest("hex") };
}

async function verifyVideoFile(budgeted: BudgetedSource, contentType: MediaType) {
  const { facts, sha256 } = await checkVideo(budgeted, contentType);
  return { video: facts, sha256 };
}
