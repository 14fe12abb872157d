import { endpoint } from "../../lib/endpoint.ts";
import { refuse } from "../../lib/errors.ts";
import { attest, finalize } from "../../lib/media/finalize.ts";
import * as files from "../../lib/queries/files.ts";
import { Finalized } from "../../lib/schemas/file.ts";

export default endpoint("files.finalize", {
  route: "POST /files/{fileId}/finalize",
  summary: "Verify the uploaded bytes and make them a file with a CDN URL",
  params: { fileId: "file" },
  reply: Finalized,
  message: "Upload finalized.",
  refuses: ["not_found", "upload_failed"],
  failure: "file_finalize_failed",
  idempotent: "required",
  // Verifying and copying 5 GiB takes minutes.
  longestSeconds: 15 * 60,
  badQuery: "invalid_query_parameter",

  load: ({ db, key, params }) => files.findUpload(db, key.scope, params.fileId),

  async handle(call, found) {
    if (!found) throw refuse("not_found", "No upload with this id is visible to the key.");
    const file = found.file ?? (await finalize(call, found.upload));
    return { file, attestation: attest(file) };
  },
});
