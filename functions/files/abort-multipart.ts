import { endpoint } from "../../lib/endpoint.ts";
import { refuse } from "../../lib/errors.ts";
import { asParts, dropParts, noUpload } from "../../lib/media/multipart.ts";
import * as uploads from "../../lib/queries/uploads.ts";
import { MultipartAborted } from "../../lib/schemas/file.ts";

export default endpoint("files.abort-multipart", {
  route: "DELETE /files/multipart/{uploadId}",
  summary: "Abort an upload in parts and drop what has arrived",
  description: "One that has ended without a file, or was aborted before, answers the same; a finished one is refused.",
  params: { uploadId: "upload" },
  reply: MultipartAborted,
  message: "Upload aborted.",
  refuses: ["not_found", "upload_failed"],
  failure: "multipart_abort_failed",
  badQuery: "invalid_query_parameter",

  async handle({ db, key, params, bucket }) {
    const found = await uploads.abort(db, key.scope, params.uploadId);
    const upload = found && asParts(found.upload);
    if (!upload) throw noUpload();
    if (upload.state === "finalized") {
      throw refuse("upload_failed", "This upload is complete. Delete its file with DELETE /files/{fileId}.");
    }
    await dropParts(await bucket(), upload);
    return { id: upload.id, aborted: true as const };
  },
});
