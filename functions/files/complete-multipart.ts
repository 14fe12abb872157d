import { fileEndpoint } from "../../lib/http/families.ts";
import { findUpload } from "../../lib/queries/uploads.ts";
import { Finalized, MultipartComplete } from "../../lib/schemas/file.ts";
import { toFileReport } from "../../lib/uploads/file-report.ts";
import { completeMultipartUpload, multipartNotFoundError, toMultipartRow } from "../../lib/uploads/multipart.ts";

export default fileEndpoint("files.complete-multipart", {
  route: "POST /files/multipart/{uploadId}/complete",
  permission: "files:write",
  summary: "Assemble the parts of an upload, verify the bytes and publish them as a file with a CDN URL",
  description:
    'List every part once, each with the `ETag` header of its PUT response: `{"parts": [{"partNumber": 1, "etag": "..."}]}`. A wrong list (400 `upload_failed`, the message names the part) leaves the upload open: send a corrected list. Bytes that are not a playable video or a complete image of the declared type end the upload and are deleted. Safe to retry with the same list after any failure, also concurrently: one request verifies, the others wait for it, or get 409 `request_in_progress` after a minute.',
  params: { uploadId: "upload" },
  body: MultipartComplete,
  reply: Finalized,
  message: "Upload finalized.",
  errors: ["not_found", "upload_failed"],
  internalError: "multipart_complete_failed",
  limits: ["file_finalizes"],
  idempotent: "required",
  // Assembling, verifying and copying 5 GiB takes minutes.
  leaseSeconds: 15 * 60,

  load: ({ db, key, params }) => findUpload(db, key.scope, params.uploadId),

  async handle(context, found) {
    const upload = found && toMultipartRow(found.upload);
    if (!upload) throw multipartNotFoundError();
    return toFileReport(await completeMultipartUpload(context, upload, found.file, context.body.parts));
  },
});
