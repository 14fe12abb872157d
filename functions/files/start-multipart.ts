import { endpoint } from "../../lib/endpoint.ts";
import { newUpload } from "../../lib/media/begin.ts";
import { MULTIPART_LASTS_MS } from "../../lib/media/expiry.ts";
import { startParts } from "../../lib/media/multipart.ts";
import { MultipartStart, MultipartStarted } from "../../lib/schemas/file.ts";

export default endpoint("files.start-multipart", {
  route: "POST /files/multipart",
  summary: "Start an upload in parts: for large files, sent side by side, each part again on its own when it fails",
  description:
    'Cut the file into `partCount` parts of `partSize` bytes (the last one has what is left), `PUT` each to its `url` without an Authorization header, and keep the `ETag` header of each answer: `curl -X PUT "$url" --data-binary @part1 -D -`. A URL takes exactly the `size` that stands beside it, as often as needed, until `expiresAt`; the latest bytes count. Then `POST /files/multipart/{id}/complete` within 24 hours.',
  body: MultipartStart,
  reply: MultipartStarted,
  status: 201,
  message: "Upload started. PUT each part to its url, then complete the upload with their ETags.",
  refuses: ["rate_limited"],
  failure: "multipart_start_failed",
  limits: ["file_starts"],
  badQuery: "invalid_query_parameter",

  handle: (call) => startParts(call, newUpload(call, call.body, MULTIPART_LASTS_MS), call.body.size),
});
