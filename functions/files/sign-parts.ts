import { fileEndpoint } from "../../lib/http/families.ts";
import { findUpload } from "../../lib/queries/uploads.ts";
import { PartNumbers, PartUrls } from "../../lib/schemas/file.ts";
import {
  multipartNotFoundError,
  requireUploadableParts,
  signPartUrls,
  toMultipartRow,
} from "../../lib/uploads/multipart.ts";

export default fileEndpoint("files.sign-parts", {
  route: "POST /files/multipart/{uploadId}/parts",
  permission: "files:write",
  summary: "Get the URLs of more parts of an upload, or of the same ones again",
  params: { uploadId: "upload" },
  body: PartNumbers,
  reply: PartUrls,
  message: "Part URLs.",
  errors: ["not_found", "upload_failed"],
  internalError: "multipart_parts_failed",

  load: ({ db, key, params }) => findUpload(db, key.scope, params.uploadId),

  async handle({ body, storage, now }, found) {
    const upload = found && toMultipartRow(found.upload);
    if (!upload) throw multipartNotFoundError();
    const numbers = [...new Set(body.partNumbers)];
    requireUploadableParts(upload, numbers, now);
    return { parts: await signPartUrls(await storage(), upload, numbers, now) };
  },
});
