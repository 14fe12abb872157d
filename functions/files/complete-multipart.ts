import { endpoint } from "../../lib/endpoint.ts";
import { asParts, complete, noUpload } from "../../lib/media/multipart.ts";
import { report } from "../../lib/media/report.ts";
import * as uploads from "../../lib/queries/uploads.ts";
import { Finalized, MultipartComplete } from "../../lib/schemas/file.ts";

export default endpoint("files.complete-multipart", {
  route: "POST /files/multipart/{uploadId}/complete",
  summary: "Put the parts of an upload together, verify the bytes and make them a file with a CDN URL",
  description:
    'List every part once, each with the `ETag` header that its PUT answered with: `{"parts": [{"partNumber": 1, "etag": "..."}]}`. A list that is not right (400 `upload_failed`, the message names the part) leaves the upload open: send the right one. Bytes that turn out not to be a playable video or a whole image of the declared type end the upload, and are deleted. Safe to repeat with the same list after any failure, and beside itself: one request verifies, the others wait for it, or get 409 `request_in_progress` when that takes over a minute.',
  params: { uploadId: "upload" },
  body: MultipartComplete,
  reply: Finalized,
  message: "Upload finalized.",
  refuses: ["not_found", "upload_failed"],
  failure: "multipart_complete_failed",
  idempotent: "required",
  // Putting together, verifying and copying 5 GiB takes minutes.
  longestSeconds: 15 * 60,
  badQuery: "invalid_query_parameter",

  load: ({ db, key, params }) => uploads.find(db, key.scope, params.uploadId),

  async handle(call, found) {
    const upload = found && asParts(found.upload);
    if (!upload) throw noUpload();
    return report(await complete(call, upload, found.file, call.body.parts));
  },
});
