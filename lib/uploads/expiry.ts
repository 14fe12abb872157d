// Computes when an upload expires, and when its leftover objects are removed from storage.

import type { UploadRow } from "../queries/uploads.ts";
import { HOUR_MS } from "../shared/durations.ts";
import { apiError } from "../shared/errors.ts";

/** Of a multipart upload. */
export const MULTIPART_LIFETIME_MS = 24 * HOUR_MS;

/** Time to finalize after the upload URL expired: a large body that started in time may still be arriving. */
const FINALIZE_GRACE_MS = HOUR_MS;

/** Longer than FINALIZE_GRACE_MS plus the longest finalize, so nothing is removed while it is verified. */
const REMOVE_AFTER_MS = 2 * HOUR_MS;

/** From then on no bytes can arrive, and none that arrived can become a file. */
export function getRemovalTime(expiresAt: Date): Date {
  return new Date(expiresAt.getTime() + REMOVE_AFTER_MS);
}

/** Throws `upload_failed` unless the upload is finalized or can still be finalized. */
export function requireOpen(upload: Pick<UploadRow, "state" | "reason" | "expiresAt">, now: Date): void {
  if (upload.state === "finalized") return;
  if (upload.state === "rejected") throw apiError("upload_failed", `${upload.reason} Start a new upload.`);
  if (upload.state === "aborted") throw apiError("upload_failed", "This upload was aborted. Start a new upload.");
  if (upload.expiresAt.getTime() + FINALIZE_GRACE_MS < now.getTime()) throw uploadExpiredError(upload);
}

export function uploadExpiredError({ expiresAt }: Pick<UploadRow, "expiresAt">) {
  return apiError("upload_failed", `This upload expired at ${expiresAt.toISOString()}. Start a new upload.`);
}
