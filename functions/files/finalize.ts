import { endpoint } from "../../lib/endpoint.ts";
import { refuse } from "../../lib/errors.ts";
import { finalize, nothingYet } from "../../lib/media/finalize.ts";
import { report } from "../../lib/media/report.ts";
import * as uploads from "../../lib/queries/uploads.ts";
import { Finalized } from "../../lib/schemas/file.ts";

export default endpoint("files.finalize", {
  route: "POST /files/{fileId}/finalize",
  summary: "Verify the uploaded bytes and make them a file with a CDN URL",
  description:
    "The bytes must be a whole image or a playable video of the declared `contentType`; otherwise 400 `upload_failed` says what is wrong, and they are deleted. `file.url` goes into posts. `fit` says for each network whether it takes the file as it is. Safe to repeat after any failure; a large video takes a while.",
  params: { fileId: "file" },
  reply: Finalized,
  message: "Upload finalized.",
  refuses: ["not_found", "upload_failed"],
  failure: "file_finalize_failed",
  idempotent: "required",
  // Verifying and copying 5 GiB takes minutes.
  longestSeconds: 15 * 60,
  badQuery: "invalid_query_parameter",

  load: ({ db, key, params }) => uploads.find(db, key.scope, params.fileId),

  async handle(call, found) {
    if (!found) throw refuse("not_found", "No upload with this id is visible to the key.");
    return report(found.file ?? (await finalize(call, found.upload, nothingYet(found.upload))));
  },
});
