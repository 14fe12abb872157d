import { fileEndpoint } from "../../lib/http/families.ts";
import { abortUpload } from "../../lib/queries/uploads.ts";
import { MultipartAborted } from "../../lib/schemas/file.ts";
import { apiError } from "../../lib/shared/errors.ts";
import { deleteUploadedParts, multipartNotFoundError, toMultipartRow } from "../../lib/uploads/multipart.ts";

export default fileEndpoint("files.abort-multipart", {
  route: "DELETE /files/multipart/{uploadId}",
  permission: "files:write",
  summary: "Abort a multipart upload and delete its parts",
  params: { uploadId: "upload" },
  reply: MultipartAborted,
  message: "Upload aborted.",
  errors: ["not_found", "upload_failed"],
  internalError: "multipart_abort_failed",

  async handle({ db, key, params, storage }) {
    const found = await abortUpload(db, key.scope, params.uploadId);
    const upload = found && toMultipartRow(found.upload);
    if (!upload) throw multipartNotFoundError();
    if (upload.state === "finalized") {
      throw apiError("upload_failed", "This upload is complete. Delete its file with DELETE /files/{fileId}.");
    }
    await deleteUploadedParts(await storage(), upload);
    return { id: upload.id, aborted: true as const };
  },
});
