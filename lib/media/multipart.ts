// Uploads in parts: how a file is cut, which URLs take the parts, and what becomes of the list that ends the upload.
import type { Bucket } from "../bucket.ts";
import type { Call } from "../call.ts";
import { refuse } from "../errors.ts";
import type { FileRow } from "../queries/files.ts";
import * as uploads from "../queries/uploads.ts";
import { type CompletedPart, PARTS_PER_ANSWER } from "../schemas/file.ts";
import type { newUpload } from "./begin.ts";
import { expired, removalTime, requireOpen } from "./expiry.ts";
import { type Finalizing, finalize } from "./finalize.ts";
import { faultIn, foreignIn, listHash, refusedParts } from "./part-list.ts";

const MIB = 1024 ** 2;

/** A part that breaks off is sent again as a whole, so parts are small; each needs a URL, so there are not too many. */
const SMALLEST_PART = 8 * MIB;
const PARTS_AT_MOST = 500;

/** R2 wants parts of one size, 5 MiB at least, the last one excepted. */
function planParts(size: number): { partSize: number; partCount: number } {
  let partSize = SMALLEST_PART;
  while (size > partSize * PARTS_AT_MOST) partSize *= 2;
  return { partSize, partCount: Math.ceil(size / partSize) };
}

/** An upload in parts, as its row is known to be. */
export interface PartsUpload extends uploads.UploadRow {
  multipartId: string;
  size: number;
  partSize: number;
  partCount: number;
}

/** Null for an upload that comes in a single PUT. */
export function asParts(upload: uploads.UploadRow): PartsUpload | null {
  const { multipartId, size, partSize, partCount } = upload;
  if (multipartId === null || size === null || partSize === null || partCount === null) return null;
  return { ...upload, multipartId, size, partSize, partCount };
}

export function noUpload() {
  return refuse(
    "not_found",
    "No upload in parts with this id is visible to the key. One from POST /files ends with POST /files/{fileId}/finalize.",
  );
}

/** URLs of parts, good for as long as the upload is. */
export function partUrls(bucket: Bucket, upload: PartsUpload, numbers: number[], now: Date) {
  const seconds = Math.floor((upload.expiresAt.getTime() - now.getTime()) / 1000);
  return Promise.all(
    numbers.map(async (partNumber) => {
      const size = Math.min(upload.partSize, upload.size - (partNumber - 1) * upload.partSize);
      return { partNumber, size, url: await bucket.presignPart(openIn(upload), { partNumber, size }, seconds) };
    }),
  );
}

/** A new upload in parts with the first of their URLs. */
export async function startParts(
  { db, key, bucket, now, after }: Pick<Call, "db" | "key" | "bucket" | "now" | "after">,
  upload: ReturnType<typeof newUpload>,
  size: number,
) {
  const storage = await bucket();
  // One whose row is never written stays empty, since nobody has its URLs; the bucket drops it by itself.
  const multipartId = await storage.openParts(upload.objectKey, upload.contentType);
  const cut = { size, multipartId, ...planParts(size) };
  const stored = await uploads.insert(db, key.scope, { ...upload, ...cut }, removalTime(upload.expiresAt));
  const { expiresAt } = stored;
  const open = { ...stored, ...cut, multipartId: stored.multipartId ?? multipartId };
  // The repeat of a start that broke goes on with the upload of the first one.
  if (open.multipartId !== multipartId) after(storage.dropParts({ key: upload.objectKey, multipartId }));
  const first = Array.from({ length: Math.min(cut.partCount, PARTS_PER_ANSWER) }, (_, at) => at + 1);
  const { partSize, partCount } = cut;
  return { id: stored.id, partSize, partCount, parts: await partUrls(storage, open, first, now), expiresAt };
}

/** Drops what has arrived of an upload that ended; what fails here is removed when its time comes. */
export async function dropParts(bucket: Bucket, upload: PartsUpload): Promise<void> {
  await bucket.dropParts(openIn(upload));
  await bucket.remove(upload.objectKey);
}

/** Throws unless these parts can still arrive. */
export function requireParts(upload: PartsUpload, numbers: number[], now: Date): void {
  requireOpen(upload, now);
  if (upload.state === "finalized") throw refuse("upload_failed", "This upload is complete. Start a new upload.");
  if (upload.expiresAt <= now) throw expired(upload);
  const foreign = foreignIn(numbers, upload.partCount);
  if (foreign) throw refuse("upload_failed", foreign);
}

/** Puts the parts together and makes them a file. Safe to repeat from any step, and beside itself. */
export async function complete(
  io: Finalizing,
  upload: PartsUpload,
  file: FileRow | null,
  parts: CompletedPart[],
): Promise<FileRow> {
  requireOpen(upload, io.now);
  const fault = faultIn(parts, upload.partCount);
  if (fault) throw file ? isComplete(fault) : staysOpen(fault);
  requireSameList(upload, parts);
  if (file) return file;
  // Past its time, parts that were put together before may still become a file.
  const late = io.now > upload.expiresAt;
  const joined = !late && (await join(io, upload, parts));
  const made = await finalize(io, upload, late ? expired(upload) : refuse("upload_failed", LOST));
  // Another call put them together, maybe by another list.
  if (!joined) requireSameList((await uploads.find(io.db, io.key.scope, upload.id))?.upload, parts);
  return made;
}

const LOST = "Storage has neither the parts nor the file any more. Start a new upload.";

/** False when they were put together before, or are at this moment by another call; the object then tells. */
async function join(io: Finalizing, upload: PartsUpload, parts: CompletedPart[]): Promise<boolean> {
  const bucket = await io.bucket();
  const inOrder = parts.toSorted((a, b) => a.partNumber - b.partNumber);
  const outcome = await bucket.joinParts(openIn(upload), inOrder);
  if (outcome === "refused") throw staysOpen(refusedParts(inOrder, await bucket.arrivedParts(openIn(upload))));
  // The bucket forgets the list with the upload.
  if (outcome === "joined") await uploads.keepList(io.db, upload.id, listHash(parts));
  return outcome === "joined";
}

/** A repeat has to list what the first one did; where that is not known, any whole list will do. */
function requireSameList(upload: Pick<uploads.UploadRow, "partsHash"> | undefined, parts: CompletedPart[]): void {
  if (!upload?.partsHash || upload.partsHash === listHash(parts)) return;
  throw isComplete(
    "An etag is not the one of the part that was put together; send the list that completed the upload.",
  );
}

function isComplete(fault: string) {
  return refuse("upload_failed", `${fault} The upload is complete already.`);
}

function staysOpen(fault: string) {
  return refuse("upload_failed", `${fault} The upload stays open.`);
}

function openIn({ objectKey, multipartId }: PartsUpload) {
  return { key: objectKey, multipartId };
}
