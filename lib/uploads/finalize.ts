// Turns uploaded bytes into a file: copy to the public bucket, verify the copy, record. Safe to repeat from any step.

import type { VerifiedMedia } from "../media/verify-media.ts";
import { verifyStoredObject } from "../media/worker-client.ts";
import type { FileRow } from "../queries/files.ts";
import { scheduleDeletion } from "../queries/object-deletions.ts";
import { findUpload, finishUpload, markUploadRejected, type UploadRow } from "../queries/uploads.ts";
import { getMaxBytes, MAX_UNSIZED_BYTES } from "../schemas/file.ts";
import type { RequestContext } from "../services/context.ts";
import type { StoredObject } from "../services/storage.ts";
import { type ApiError, apiError } from "../shared/errors.ts";
import {
  type DeclaredType,
  findLikelyType,
  type MediaType,
  UNKNOWN_TYPE,
  withEndingOf,
} from "../shared/media-types.ts";
import { toResult, unwrap } from "../shared/result.ts";
import { getRemovalTime, requireOpen } from "./expiry.ts";
import { nameUpload } from "./new-upload.ts";
import { withVerificationLock } from "./verification-lock.ts";

export type FinalizeContext = Pick<
  RequestContext,
  "db" | "redis" | "storage" | "env" | "requestId" | "key" | "ids" | "now" | "log" | "waitUntil"
>;

/** Throws `upload_failed` with the failed check, or `missingBytes` without an object. Rejected bytes are deleted. */
export async function finalizeUpload(
  context: FinalizeContext,
  upload: UploadRow,
  missingBytes: ApiError,
): Promise<FileRow> {
  requireOpen(upload, context.now);
  const storage = await context.storage();
  const copy = planCopy(upload, getLikelyType(upload));
  // These run beside the request for the lock. The deletion is planned before the copy, so that a copy without a file is removed.
  const prepared = toResult(Promise.all([storage.findUpload(upload.objectKey), scheduleDeletion(context.db, copy)]));
  const work = async () => {
    const [object] = unwrap(await prepared);
    if (!object) throw missingBytes;
    return copyAndVerify(context, upload, object, copy);
  };
  try {
    return await withVerificationLock(context, upload.id, { work, findResult: () => findOutcome(context, upload.id) });
  } catch (error) {
    // Another request may have finished this upload; return the same outcome.
    const file = await findOutcome(context, upload.id);
    if (file) return file;
    throw error;
  }
}

/**
 * The key that the bytes of an upload are copied to. The key is random, so that concurrent finalizes never write to the same one, and
 * that nobody knows the URL of a copy before it is verified.
 */
function planCopy({ id, filename, expiresAt }: UploadRow, contentType: DeclaredType) {
  const name = contentType === UNKNOWN_TYPE ? filename : withEndingOf(filename, contentType);
  const objectKey = `${id}/${crypto.randomUUID()}/${sanitizeFilename(name)}`;
  return { bucket: "files", objectKey, multipartId: null, fileId: id, dueAt: getRemovalTime(expiresAt) } as const;
}

/** The copy has this type until its bytes are checked. */
function getLikelyType({ contentType, filename }: UploadRow): DeclaredType {
  return findLikelyType(contentType, filename) ?? UNKNOWN_TYPE;
}

type Copy = ReturnType<typeof planCopy>;

/** The file if it exists by now, null while the upload is open. Throws the reason if it ended without a file. */
async function findOutcome({ db, key, now }: FinalizeContext, id: string): Promise<FileRow | null> {
  const found = await findUpload(db, key.scope, id);
  if (!found) throw apiError("not_found", "This upload no longer exists: its file was deleted.");
  if (!found.file) requireOpen(found.upload, now);
  return found.file;
}

/** The copy is verified, not the upload: its owner can replace the upload, and nobody the copy. */
async function copyAndVerify(
  context: FinalizeContext,
  upload: UploadRow,
  object: StoredObject,
  copy: Copy,
): Promise<FileRow> {
  const storage = await context.storage();
  const mismatch = findSizeMismatch(upload, object.size);
  if (mismatch) throw await rejectUpload(context, upload, mismatch);
  if (!(await storage.publishUpload(upload.objectKey, copy.objectKey, object, getLikelyType(upload))))
    throw apiError("upload_failed", "The bytes were replaced in the meantime. Finalize again.");
  const verdict = await verifyStoredObject(context, copy.objectKey, object.size, upload.contentType);
  if (!verdict.ok) {
    await toResult(storage.deletePublic(copy.objectKey));
    throw await rejectUpload(context, upload, verdict.message);
  }
  const { objectKey } = await labelCopy(context, upload, copy, verdict.media.contentType);
  const stored = await finishUpload(context.db, toFileRow(context, upload, objectKey, verdict.media));
  if (!stored) {
    // Another request may have created and deleted the file, and removed the schedule with it.
    await scheduleDeletion(context.db, { ...copy, objectKey });
    throw apiError("upload_failed", "The upload expired or was aborted during verification. Start a new upload.");
  }
  context.waitUntil(storage.deleteUpload(upload.objectKey));
  return stored;
}

/** The copy under the type of its bytes. A second one when its label was another. */
async function labelCopy(
  context: FinalizeContext,
  upload: UploadRow,
  copy: Copy,
  contentType: MediaType,
): Promise<Copy> {
  if (contentType === getLikelyType(upload)) return copy;
  const labelled = planCopy(upload, contentType);
  await scheduleDeletion(context.db, labelled);
  await (await context.storage()).copyPublic(copy.objectKey, labelled.objectKey, contentType);
  return labelled;
}

/** The error of a finalize before any bytes have arrived. */
export function missingBytesError({ id, multipartId }: UploadRow): ApiError {
  const message = multipartId
    ? `This multipart upload is not completed: send the list of its parts to POST /files/multipart/${id}/complete.`
    : "No bytes have been uploaded. PUT them to the uploadUrl, then finalize again.";
  return apiError("upload_failed", message);
}

function findSizeMismatch(upload: UploadRow, size: number): string | null {
  const limit = getMaxBytes(getLikelyType(upload));
  if (size > limit) return `The file has ${size} bytes; at most ${limit} are allowed.`;
  if (upload.size === null && size > MAX_UNSIZED_BYTES)
    return `The file has ${size} bytes; without a size in POST /files at most ${MAX_UNSIZED_BYTES} are allowed. Start a new upload with its size.`;
  if (upload.size !== null && upload.size !== size)
    return `The file has ${size} bytes, but the upload was started with size ${upload.size}.`;
  return null;
}

/** The row decides. Bytes that cannot be deleted now are removed by the cleanup. */
async function rejectUpload(context: FinalizeContext, upload: UploadRow, reason: string) {
  const storage = await context.storage();
  await markUploadRejected(context.db, upload.id, reason);
  await toResult(storage.deleteUpload(upload.objectKey));
  return apiError("upload_failed", reason);
}

function sanitizeFilename(filename: string): string {
  return filename.replace(/[^\w.-]+/g, "_").slice(-100);
}

function toFileRow({ env, now }: FinalizeContext, upload: UploadRow, objectKey: string, media: VerifiedMedia) {
  const { contentType, bytes, sha256, image, video } = media;
  const { width = 0, height = 0 } = video ?? image ?? {};
  // EXIF orientations 5 to 8 are rotated by 90 degrees; viewers and networks display them upright.
  const isSideways = (image?.orientation ?? 1) >= 5;
  const hasOwnName = upload.filename !== nameUpload(upload.id, upload.contentType as DeclaredType);
  return {
    id: upload.id,
    filename: hasOwnName ? upload.filename : nameUpload(upload.id, contentType),
    objectKey,
    url: `${env.CDN_URL.replace(/\/$/, "")}/${objectKey}`,
    createdAt: now,
    kind: video ? ("video" as const) : ("image" as const),
    origin: "upload" as const,
    contentType,
    size: bytes,
    sha256,
    width: isSideways ? height : width,
    height: isSideways ? width : height,
    durationMs: video?.durationMs ?? null,
    hasVideo: video?.hasVideoStream ?? false,
    hasAudio: video?.hasAudioStream ?? false,
    details: { ...(video ?? image) },
  };
}
