import { fileEndpoint } from "../../lib/http/families.ts";
import { MultipartStart, MultipartStarted } from "../../lib/schemas/file.ts";
import { MULTIPART_LIFETIME_MS } from "../../lib/uploads/expiry.ts";
import { startMultipartUpload } from "../../lib/uploads/multipart.ts";
import { buildUpload } from "../../lib/uploads/new-upload.ts";

export default fileEndpoint("files.start-multipart", {
  route: "POST /files/multipart",
  permission: "files:write",
  summary: "Start a multipart upload: for large files, whose parts are sent concurrently and retried separately",
  description:
    'The first of three steps. Cut the file into `partCount` parts of `partSize` bytes (the last one has the rest), `PUT` each to its `url` without an Authorization header, and keep the `ETag` header of each response: `curl -X PUT "$url" --data-binary @part1 -D -`. A URL accepts exactly the `size` next to it, repeatedly until `expiresAt`; the last PUT counts. Then `POST /files/multipart/{id}/complete` within 24 hours.',
  body: MultipartStart,
  reply: MultipartStarted,
  status: 201,
  message: "Upload started. PUT each part to its url, then complete the upload with their ETags.",
  errors: ["rate_limited"],
  internalError: "multipart_start_failed",
  limits: ["file_starts"],

  handle: (context) =>
    startMultipartUpload(context, buildUpload(context, context.body, MULTIPART_LIFETIME_MS), context.body.size),
});
