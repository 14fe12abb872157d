// From uploaded bytes to a file: look, verify, copy to the public bucket, record. Safe to repeat from any step.
import type { StoredObject } from "../bucket.ts";
import type { Call } from "../call.ts";
import { type Refusal, refuse } from "../errors.ts";
import type { FileRow } from "../queries/files.ts";
import { planRemoval } from "../queries/removals.ts";
import * as uploads from "../queries/uploads.ts";
import { maxBytes } from "../schemas/file.ts";
import { settle } from "../settle.ts";
import { removalTime, requireOpen } from "./expiry.ts";
import { verifyStored } from "./remote.ts";
import { inTurn } from "./turn.ts";
import type { Verified } from "./verify.ts";

export type Finalizing = Pick<
  Call,
  "db" | "redis" | "bucket" | "env" | "requestId" | "key" | "ids" | "now" | "log" | "after"
>;

/** The stored file. Throws `upload_failed` with the check that failed, or `absent` without bytes; rejected ones are deleted. */
export async function finalize(io: Finalizing, upload: uploads.UploadRow, absent: Refusal): Promise<FileRow> {
  requireOpen(upload, io.now);
  const object = await (await io.bucket()).head(upload.objectKey);
  try {
    if (!object) throw absent;
    const work = () => verifyAndStore(io, upload, object);
    return await inTurn(io, upload.id, { work, done: () => ended(io, upload.id) });
  } catch (error) {
    // What another call for this upload has come to is what this one answers too.
    const file = await ended(io, upload.id);
    if (file) return file;
    throw error;
  }
}

/** The file, when there is one by now; throws what ended the upload without one, null while it is open. */
async function ended({ db, key, now }: Finalizing, id: string): Promise<FileRow | null> {
  const found = await uploads.find(db, key.scope, id);
  if (!found) throw refuse("not_found", "The upload is gone: its file was deleted.");
  if (!found.file) requireOpen(found.upload, now);
  return found.file;
}

async function verifyAndStore(io: Finalizing, upload: uploads.UploadRow, object: StoredObject): Promise<FileRow> {
  const bucket = await io.bucket();
  const mismatch = sizeMismatch(upload, object.size);
  if (mismatch) throw await reject(io, upload, mismatch);
  const verdict = await verifyStored(io, upload.objectKey, object, upload.contentType);
  if (!verdict.ok) throw await reject(io, upload, verdict.message);

  // Other bytes get another key, so that two finalizes at once can never leave one file with the other's bytes.
  const publicKey = `${upload.id}/${verdict.media.sha256.slice(0, 16)}/${safeName(upload.filename)}`;
  const dueAt = removalTime(upload.expiresAt);
  const copy = { bucket: "files", objectKey: publicKey, multipartId: null, fileId: upload.id, dueAt } as const;
  // Planned before it is made: a copy that no file comes to have is found and removed.
  await planRemoval(io.db, copy);
  const copied = await bucket.publish(upload.objectKey, publicKey, object, upload.contentType);
  if (!copied) throw refuse("upload_failed", "The bytes changed while they were verified. Finalize again.");
  const url = `${io.env.CDN_URL.replace(/\/$/, "")}/${publicKey}`;
  const file = { ...rowFrom(verdict.media), id: upload.id, objectKey: publicKey, url, createdAt: io.now };
  const stored = await uploads.finish(io.db, file);
  if (!stored) {
    // The file that another call made of it may be deleted by now, and the plan with it.
    await planRemoval(io.db, copy);
    throw refuse("upload_failed", "The upload ended while it was verified. Start a new upload.");
  }
  io.after(bucket.remove(upload.objectKey));
  return stored;
}

/** What a finalize is told when there are no bytes. */
export function nothingYet({ id, multipartId }: uploads.UploadRow): Refusal {
  const message = multipartId
    ? `This upload in parts was not completed: send the list of its parts to POST /files/multipart/${id}/complete.`
    : "No bytes have arrived yet. PUT them to the uploadUrl, then finalize again.";
  return refuse("upload_failed", message);
}

function sizeMismatch(upload: uploads.UploadRow, size: number): string | null {
  const most = maxBytes(upload.contentType);
  if (size > most) return `The file has ${size} bytes, at most ${most} are allowed.`;
  if (upload.size !== null && upload.size !== size) return `The file has ${size} bytes, ${upload.size} were announced.`;
  return null;
}

/** What decides is the row; bytes that stay behind now are removed when their time comes. */
async function reject(io: Finalizing, upload: uploads.UploadRow, reason: string) {
  const bucket = await io.bucket();
  await uploads.reject(io.db, upload.id, reason);
  await settle(bucket.remove(upload.objectKey));
  return refuse("upload_failed", reason);
}

function safeName(filename: string): string {
  return filename.replace(/[^\w.-]+/g, "_").slice(-100);
}

function rowFrom({ bytes, sha256, image, video }: Verified) {
  const { width = 0, height = 0 } = video ?? image ?? {};
  // Orientations from 5 on lie on their side; networks and people see them upright.
  const turned = (image?.orientation ?? 1) >= 5;
  return {
    kind: video ? ("video" as const) : ("image" as const),
    origin: "upload" as const,
    size: bytes,
    sha256,
    width: turned ? height : width,
    height: turned ? width : height,
    durationMs: video?.durationMs ?? null,
    hasVideo: video?.hasVideoStream ?? false,
    hasAudio: video?.hasAudioStream ?? false,
    details: { ...(video ?? image) },
  };
}
