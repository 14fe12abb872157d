import { fileEndpoint } from "../../lib/http/families.ts";
import { findFile } from "../../lib/queries/files.ts";
import { FileDetails } from "../../lib/schemas/file.ts";
import { apiError } from "../../lib/shared/errors.ts";
import { toFileDetails } from "../../lib/uploads/file-report.ts";

export default fileEndpoint("files.get", {
  route: "GET /files/{fileId}",
  permission: "files:read",
  summary: "Get one file with its attestation and the networks that accept it",
  params: { fileId: "file" },
  reply: FileDetails,
  message: "File.",
  errors: ["not_found"],
  internalError: "file_get_failed",

  load: ({ db, key, params }) => findFile(db, key.scope, params.fileId),

  async handle(_context, file) {
    if (!file) throw apiError("not_found", "No finalized file with this id is visible to the key.");
    return toFileDetails(file);
  },
});
