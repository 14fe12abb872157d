// How long an upload may go on, and when whatever it left in a bucket is removed.
import { refuse } from "../errors.ts";
import type { UploadRow } from "../queries/uploads.ts";

const HOUR_MS = 60 * 60 * 1000;

/** For an upload in parts. */
export const MULTIPART_LASTS_MS = 24 * HOUR_MS;

/** Bytes may arrive until their URL expires; a large body that began in time still gets this long to be finalized. */
const FINALIZE_GRACE_MS = HOUR_MS;

/** A finalize that began at the last moment has long come to its end by then. */
const REMOVE_AFTER_MS = 2 * HOUR_MS;

/** By then nothing can arrive, and nothing that did can become a file. */
export function removalTime(expiresAt: Date): Date {
  return new Date(expiresAt.getTime() + REMOVE_AFTER_MS);
}

/** Throws `upload_failed` unless the upload can still become a file, or has become one. */
export function requireOpen(upload: Pick<UploadRow, "state" | "reason" | "expiresAt">, now: Date): void {
  if (upload.state === "finalized") return;
  if (upload.state === "rejected") throw refuse("upload_failed", `${upload.reason} Start a new upload.`);
  if (upload.state === "aborted") throw refuse("upload_failed", "This upload was aborted. Start a new upload.");
  if (upload.expiresAt.getTime() + FINALIZE_GRACE_MS < now.getTime()) throw expired(upload);
}

export function expired({ expiresAt }: Pick<UploadRow, "expiresAt">) {
  return refuse("upload_failed", `This upload expired at ${expiresAt.toISOString()}. Start a new upload.`);
}
