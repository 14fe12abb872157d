// Multipart uploads: part sizes, signed URLs, and completing an upload with its list of parts.

import type { FileRow } from "../queries/files.ts";
import { findUpload, insertUpload, savePartsHash, type UploadRow } from "../queries/uploads.ts";
import { type CompletedPart, MAX_PARTS_PER_RESPONSE } from "../schemas/file.ts";
import type { RequestContext } from "../services/context.ts";
import type { ObjectStorage } from "../services/storage.ts";
import { apiError } from "../shared/errors.ts";
import { toResult, unwrap } from "../shared/result.ts";
import { getRemovalTime, requireOpen, uploadExpiredError } from "./expiry.ts";
import { type FinalizeContext, finalizeUpload } from "./finalize.ts";
import type { buildUpload } from "./new-upload.ts";
import { explainRejectedParts, findPartListFault, findUnknownParts, hashPartList } from "./part-list.ts";

const MIB = 1024 ** 2;

/** Small parts make a retry cheap, since a failed part is sent again whole; each part needs a URL, so 500 at most. */
const MIN_PART_BYTES = 8 * MIB;
const MAX_PARTS = 500;

/** R2 requires parts of equal size of at least 5 MiB, except for the last one. */
function planParts(size: number): { partSize: number; partCount: number } {
  let partSize = MIN_PART_BYTES;
  while (size > partSize * MAX_PARTS) partSize *= 2;
  return { partSize, partCount: Math.ceil(size / partSize) };
}

/** The row of a multipart upload. */
export interface MultipartRow extends UploadRow {
  multipartId: string;
  size: number;
  partSize: number;
  partCount: number;
}

/** Null for an upload by a single PUT. */
export function toMultipartRow(upload: UploadRow): MultipartRow | null {
  const { multipartId, size, partSize, partCount } = upload;
  if (multipartId === null || size === null || partSize === null || partCount === null) return null;
  return { ...upload, multipartId, size, partSize, partCount };
}

export function multipartNotFoundError() {
  return apiError(
    "not_found",
    "No multipart upload with this id is visible to the key. To complete an upload started with POST /files, use POST /files/{fileId}/finalize.",
  );
}

/** Presigned URLs that expire with the upload. */
export function signPartUrls(storage: ObjectStorage, upload: MultipartRow, numbers: number[], now: Date) {
  const seconds = Math.floor((upload.expiresAt.getTime() - now.getTime()) / 1000);
  return Promise.all(
    numbers.map(async (partNumber) => {
      const size = Math.min(upload.partSize, upload.size - (partNumber - 1) * upload.partSize);
      return {
        partNumber,
        size,
        url: await storage.presignPart(toMultipartRef(upload), { partNumber, size }, seconds),
      };
    }),
  );
}

/** Starts a multipart upload and returns the URLs of its first parts. */
export async function startMultipartUpload(
  {
    db,
    key,
    storage: openStorage,
    now,
    waitUntil,
  }: Pick<RequestContext, "db" | "key" | "storage" | "now" | "waitUntil">,
  upload: ReturnType<typeof buildUpload>,
  size: number,
) {
  const storage = await openStorage();
  // When the insert fails, the storage upload stays empty (its URLs were never returned) and expires in storage.
  const multipartId = await storage.createMultipart(upload.objectKey, upload.contentType);
  const plan = { size, multipartId, ...planParts(size) };
  const stored = await insertUpload(db, key.scope, { ...upload, ...plan }, getRemovalTime(upload.expiresAt));
  const { expiresAt } = stored;
  const openUpload = { ...stored, ...plan, multipartId: stored.multipartId ?? multipartId };
  // A repeat of a start that failed halfway continues the upload that the first one stored.
  if (openUpload.multipartId !== multipartId) waitUntil(storage.abortMultipart({ key: upload.objectKey, multipartId }));
  const firstNumbers = Array.from({ length: Math.min(plan.partCount, MAX_PARTS_PER_RESPONSE) }, (_, at) => at + 1);
  const { partSize, partCount } = plan;
  return {
    id: stored.id,
    partSize,
    partCount,
    parts: await signPartUrls(storage, openUpload, firstNumbers, now),
    expiresAt,
  };
}

/** Deletes the parts and the object of an upload that ended; if this fails, the cleanup removes them. */
export async function deleteUploadedParts(storage: ObjectStorage, upload: MultipartRow): Promise<void> {
  await storage.abortMultipart(toMultipartRef(upload));
  await storage.deleteUpload(upload.objectKey);
}

/** Throws `upload_failed` unless these parts can still be uploaded. */
export function requireUploadableParts(upload: MultipartRow, numbers: number[], now: Date): void {
  requireOpen(upload, now);
  if (upload.state === "finalized") throw apiError("upload_failed", "This upload is complete. Start a new upload.");
  if (upload.expiresAt <= now) throw uploadExpiredError(upload);
  const unknownParts = findUnknownParts(numbers, upload.partCount);
  if (unknownParts) throw apiError("upload_failed", unknownParts);
}

/** Assembles the parts and finalizes the file. Safe to repeat from any step, and to run concurrently. */
export async function completeMultipartUpload(
  context: FinalizeContext,
  upload: MultipartRow,
  file: FileRow | null,
  parts: CompletedPart[],
): Promise<FileRow> {
  requireOpen(upload, context.now);
  const fault = findPartListFault(parts, upload.partCount);
  if (fault) throw file ? alreadyCompleteError(fault) : stillOpenError(fault);
  requireSamePartList(upload, parts);
  if (file) return file;
  // Parts that were assembled before the upload expired may still become a file.
  const isExpired = context.now > upload.expiresAt;
  const assembled = !isExpired && (await assembleParts(context, upload, parts));
  const missingBytes = isExpired ? uploadExpiredError(upload) : apiError("upload_failed", LOST_MESSAGE);
  // Storage does not keep the list, so its hash is stored to check repeats.
  const [finalized] = await Promise.all([
    toResult(finalizeUpload(context, upload, missingBytes)),
    assembled && savePartsHash(context.db, upload.id, hashPartList(parts)),
  ]);
  // Another request assembled them, possibly with another list.
  if (!assembled) requireSamePartList((await findUpload(context.db, context.key.scope, upload.id))?.upload, parts);
  return unwrap(finalized);
}

const LOST_MESSAGE = "Storage no longer has the parts or the file. Start a new upload.";

/** False when another request has assembled them or is assembling them; finalizing then finds the object or not. */
async function assembleParts(context: FinalizeContext, upload: MultipartRow, parts: CompletedPart[]): Promise<boolean> {
  const storage = await context.storage();
  const sorted = parts.toSorted((a, b) => a.partNumber - b.partNumber);
  const outcome = await storage.completeMultipart(toMultipartRef(upload), sorted);
  if (outcome === "rejected")
    throw stillOpenError(explainRejectedParts(sorted, await storage.listParts(toMultipartRef(upload))));
  return outcome === "completed";
}

/** A repeat must send the same list as the first request; when that one is unknown, any complete list is accepted. */
function requireSamePartList(upload: Pick<UploadRow, "partsHash"> | undefined, parts: CompletedPart[]): void {
  if (!upload?.partsHash || upload.partsHash === hashPartList(parts)) return;
  throw alreadyCompleteError("An etag does not match the completed upload; send the list of parts that completed it.");
}

function alreadyCompleteError(fault: string) {
  return apiError("upload_failed", `${fault} The upload is already complete.`);
}

function stillOpenError(fault: string) {
  return apiError("upload_failed", `${fault} The upload stays open.`);
}

function toMultipartRef({ objectKey, multipartId }: MultipartRow) {
  return { key: objectKey, multipartId };
}
