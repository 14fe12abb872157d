// From uploaded bytes to a file: look, verify, copy to the public bucket, record. Safe to repeat from any step.
import type { Call } from "../call.ts";
import { refuse } from "../errors.ts";
import * as files from "../queries/files.ts";
import { maxBytes } from "../schemas/file.ts";
import { type Verified, verifyMedia } from "./verify.ts";

type Io = Pick<Call, "db" | "bucket" | "env" | "now" | "after">;

/** The stored file. Throws `upload_failed` with the check that failed; rejected bytes are deleted. */
export async function finalize(io: Io, upload: files.UploadRow): Promise<files.FileRow> {
  try {
    return await verifyAndStore(io, upload);
  } catch (error) {
    // Another finalize of the same upload may have been faster, and has taken the uploaded bytes away.
    const stored = await files.find(io.db, upload.id);
    if (stored) return stored;
    throw error;
  }
}

async function verifyAndStore(io: Io, upload: files.UploadRow): Promise<files.FileRow> {
  requireOpen(upload, io.now);
  const bucket = await io.bucket();
  const object = await bucket.head(upload.objectKey);
  if (!object) {
    throw refuse("upload_failed", "No bytes have arrived yet. PUT them to the uploadUrl, then finalize again.");
  }
  const mismatch = sizeMismatch(upload, object.size);
  if (mismatch) throw await reject(io, upload, mismatch);
  const verdict = await verifyMedia(bucket.source(upload.objectKey, object), upload.contentType);
  if (!verdict.ok) throw await reject(io, upload, verdict.message);

  // Other bytes get another key, so that two finalizes at once can never leave one file with the other's bytes.
  const publicKey = `${upload.id}/${verdict.media.sha256.slice(0, 16)}/${safeName(upload.filename)}`;
  const copied = await bucket.publish(upload.objectKey, publicKey, object, upload.contentType);
  if (!copied) throw refuse("upload_failed", "The bytes changed while they were verified. Finalize again.");
  const url = `${io.env.CDN_URL.replace(/\/$/, "")}/${publicKey}`;
  const stored = await files.insertFile(io.db, {
    ...rowFrom(upload, verdict.media),
    objectKey: publicKey,
    url,
    createdAt: io.now,
  });
  if (!stored) throw new Error("the file that was just inserted is not there");
  io.after(bucket.remove(upload.objectKey));
  return stored;
}

/** What a video attests; undefined for an image. */
export function attest(file: files.FileRow) {
  if (file.kind !== "video") return undefined;
  return {
    sha256: file.sha256,
    sizeBytes: file.size,
    durationMs: file.durationMs ?? 0,
    width: file.width,
    height: file.height,
    hasVideoStream: file.hasVideo,
    hasAudioStream: file.hasAudio,
  };
}

function requireOpen(upload: files.UploadRow, now: Date): void {
  if (upload.state === "rejected") throw refuse("upload_failed", `${upload.reason} Start a new upload.`);
  if (upload.state === "aborted") throw refuse("upload_failed", "This upload was aborted. Start a new upload.");
  const late = upload.expiresAt.getTime() + FINALIZE_GRACE_MS < now.getTime();
  if (upload.state === "expired" || late) {
    throw refuse("upload_failed", `This upload expired at ${upload.expiresAt.toISOString()}. Start a new upload.`);
  }
}

/** Bytes may arrive until the URL expires; a large body that began in time still gets this long to be finalized. */
const FINALIZE_GRACE_MS = 60 * 60 * 1000;

function sizeMismatch(upload: files.UploadRow, size: number): string | null {
  const most = maxBytes(upload.contentType);
  if (size > most) return `The file has ${size} bytes, at most ${most} are allowed.`;
  if (upload.size !== null && upload.size !== size) return `The file has ${size} bytes, ${upload.size} were announced.`;
  return null;
}

async function reject(io: Io, upload: files.UploadRow, reason: string) {
  const bucket = await io.bucket();
  await Promise.all([bucket.remove(upload.objectKey), files.rejectUpload(io.db, upload.id, reason)]);
  return refuse("upload_failed", reason);
}

function safeName(filename: string): string {
  return filename.replace(/[^\w.-]+/g, "_").slice(-100);
}

function rowFrom(upload: files.UploadRow, media: Verified) {
  const { ownerId, workspaceId } = upload;
  const facts = media.video ?? media.image;
  return {
    id: upload.id,
    ownerId,
    workspaceId,
    kind: media.video ? ("video" as const) : ("image" as const),
    origin: "upload" as const,
    contentType: media.contentType,
    filename: upload.filename,
    size: media.bytes,
    sha256: media.sha256,
    width: facts?.width ?? 0,
    height: facts?.height ?? 0,
    durationMs: media.video?.durationMs ?? null,
    hasVideo: media.video?.hasVideoStream ?? false,
    hasAudio: media.video?.hasAudioStream ?? false,
    details: { ...facts },
  };
}
