import { endpoint } from "../../lib/endpoint.ts";
import { asParts, noUpload, partUrls, requireParts } from "../../lib/media/multipart.ts";
import * as uploads from "../../lib/queries/uploads.ts";
import { PartNumbers, PartUrls } from "../../lib/schemas/file.ts";

export default endpoint("files.sign-parts", {
  route: "POST /files/multipart/{uploadId}/parts",
  summary: "Get the URLs of more parts of an upload, or of the same ones again",
  params: { uploadId: "upload" },
  body: PartNumbers,
  reply: PartUrls,
  message: "Part URLs.",
  refuses: ["not_found", "upload_failed"],
  failure: "multipart_parts_failed",
  badQuery: "invalid_query_parameter",

  load: ({ db, key, params }) => uploads.find(db, key.scope, params.uploadId),

  async handle({ body, bucket, now }, found) {
    const upload = found && asParts(found.upload);
    if (!upload) throw noUpload();
    const numbers = [...new Set(body.partNumbers)];
    requireParts(upload, numbers, now);
    return { parts: await partUrls(await bucket(), upload, numbers, now) };
  },
});
