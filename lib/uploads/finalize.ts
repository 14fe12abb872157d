// Turns uploaded bytes into a file: verify, copy to the public bucket, record. Safe to repeat from any step.

import type { Verdict, VerifiedMedia } from "../media/verify-media.ts";
import { verifyStoredObject } from "../media/worker-client.ts";
import type { FileRow } from "../queries/files.ts";
import { scheduleDeletion } from "../queries/object-deletions.ts";
import { findUpload, finishUpload, markUploadRejected, type UploadRow } from "../queries/uploads.ts";
import { getMaxBytes, MAX_UNSIZED_BYTES } from "../schemas/file.ts";
import type { RequestContext } from "../services/context.ts";
import type { StoredObject } from "../services/storage.ts";
import { type ApiError, apiError } from "../shared/errors.ts";
import { type DeclaredType, withEndingOf } from "../shared/media-types.ts";
import { toResult } from "../shared/result.ts";
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
  const object = await (await context.storage()).findUpload(upload.objectKey);
  try {
    if (!object) throw missingBytes;
    const work = () => verifyAndStore(context, upload, object);
    return await withVerificationLock(context, upload.id, { work, findResult: () => findOutcome(context, upload.id) });
  } catch (error) {
    // Another request may have finished this upload; return the same outcome.
    const file = await findOutcome(context, upload.id);
    if (file) return file;
    throw error;
  }
}

/** The file if it exists by now, null while the upload is open. Throws the reason if it ended without a file. */
async function findOutcome({ db, key, now }: FinalizeContext, id: string): Promise<FileRow | null> {
  const found = await findUpload(db, key.scope, id);
  if (!found) throw apiError("not_found", "This upload no longer exists: its file was deleted.");
  if (!found.file) requireOpen(found.upload, now);
  return found.file;
}

async function verifyAndStore(context: FinalizeContext, upload: UploadRow, object: StoredObject): Promise<FileRow> {
  const storage = await context.storage();
  const mismatch = findSizeMismatch(upload, object.size);
  if (mismatch) throw await rejectUpload(context, upload, mismatch);
  const verdict = await verifyBytes(context, upload, object);
  if (!verdict.ok) throw await rejectUpload(context, upload, verdict.message);

  const { contentType } = verdict.media;
  // The key is random, so that concurrent finalizes never write to the same one, and that the URL of a copy is not
  // known before the copy is checked.
  const publicKey = `${upload.id}/${crypto.randomUUID()}/${sanitizeFilename(withEndingOf(upload.filename, contentType))}`;
  const dueAt = getRemovalTime(upload.expiresAt);
  const copy = { bucket: "files", objectKey: publicKey, multipartId: null, fileId: upload.id, dueAt } as const;
  // The deletion is scheduled before the copy, so that a copy without a file row is found and removed.
  await scheduleDeletion(context.db, copy);
  const copied = await storage.publishUpload(upload.objectKey, publicKey, object, contentType);
  if (!copied) throw changedBytesError();
  const url = `${context.env.CDN_URL.replace(/\/$/, "")}/${publicKey}`;
  const hasOwnName = upload.filename !== nameUpload(upload.id, upload.contentType as DeclaredType);
  const filename = hasOwnName ? upload.filename : nameUpload(upload.id, contentType);
  const file = {
    ...toFileRow(verdict.media),
    filename,
    id: upload.id,
    objectKey: publicKey,
    url,
    createdAt: context.now,
  };
  const stored = await finishUpload(context.db, file);
  if (!stored) {
    // Another request may have created and deleted the file, and removed the schedule with it.
    await scheduleDeletion(context.db, copy);
    throw apiError("upload_failed", "The upload expired or was aborted during verification. Start a new upload.");
  }
  context.waitUntil(storage.deleteUpload(upload.objectKey));
  return stored;
}

/** A read that failed because the caller replaced the object is reported as such, not as an outage of storage. */
async function verifyBytes(
  context: FinalizeContext,
  { objectKey, contentType }: UploadRow,
  object: StoredObject,
): Promise<Verdict> {
  const verified = await toResult(verifyStoredObject(context, objectKey, object, contentType));
  if (verified.ok) return verified.value;
  const current = await (await context.storage()).findUpload(objectKey);
  const isUnchanged = current?.etag === object.etag && current.uploadedAt === object.uploadedAt;
  throw isUnchanged ? verified.error : changedBytesError();
}

function changedBytesError(): ApiError {
  return apiError("upload_failed", "The bytes changed while they were verified. Finalize again.");
}

/** The error of a finalize before any bytes have arrived. */
export function missingBytesError({ id, multipartId }: UploadRow): ApiError {
  const message = multipartId
    ? `This multipart upload is not completed: send the list of its parts to POST /files/multipart/${id}/complete.`
    : "No bytes have been uploaded. PUT them to the uploadUrl, then finalize again.";
  return apiError("upload_failed", message);
}

function findSizeMismatch(upload: UploadRow, size: number): string | null {
  const limit = getMaxBytes(upload.contentType);
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

function toFileRow({ contentType, bytes, sha256, image, video }: VerifiedMedia) {
  const { width = 0, height = 0 } = video ?? image ?? {};
  // EXIF orientations 5 to 8 are rotated by 90 degrees; viewers and networks display them upright.
  const isSideways = (image?.orientation ?? 1) >= 5;
  return {
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
