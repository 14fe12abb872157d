import { fileEndpoint } from "../../lib/http/families.ts";
import { findUpload } from "../../lib/queries/uploads.ts";
import { Finalized } from "../../lib/schemas/file.ts";
import { apiError } from "../../lib/shared/errors.ts";
import { toFileReport } from "../../lib/uploads/file-report.ts";
import { finalizeUpload, missingBytesError } from "../../lib/uploads/finalize.ts";

export default fileEndpoint("files.finalize", {
  route: "POST /files/{fileId}/finalize",
  permission: "files:write",
  summary: "Verify the uploaded bytes and publish them as a file with a CDN URL",
  params: { fileId: "file" },
  reply: Finalized,
  message: "Upload finalized.",
  errors: ["not_found", "upload_failed"],
  internalError: "file_finalize_failed",
  limits: ["file_finalizes"],
  idempotent: "required",
  // Verifying and copying 5 GiB takes minutes.
  leaseSeconds: 15 * 60,

  load: ({ db, key, params }) => findUpload(db, key.scope, params.fileId),

  async handle(context, found) {
    if (!found) throw apiError("not_found", "No upload with this id is visible to the key.");
    return toFileReport(found.file ?? (await finalizeUpload(context, found.upload, missingBytesError(found.upload))));
  },
});
