import { UPLOAD_URL_SECONDS } from "../../lib/bucket.ts";
import { endpoint } from "../../lib/endpoint.ts";
import { newUpload } from "../../lib/media/begin.ts";
import { removalTime } from "../../lib/media/expiry.ts";
import * as uploads from "../../lib/queries/uploads.ts";
import { UploadStart, UploadStarted } from "../../lib/schemas/file.ts";

export default endpoint("files.start", {
  route: "POST /files",
  summary: "Start an upload: get a URL that takes the bytes straight into the bucket",
  description:
    "Three steps: start here; within `expiresIn` seconds `PUT` the bytes to `uploadUrl` with the `headers` of the answer and no Authorization header, as in `curl -X PUT \"$uploadUrl\" -H 'Content-Type: video/mp4' --data-binary @clip.mp4`; then `POST /files/{id}/finalize`. Files over 100 MB are better sent in parts: `POST /files/multipart`.",
  body: UploadStart,
  reply: UploadStarted,
  status: 201,
  message: "Upload started. PUT the bytes to uploadUrl, then finalize.",
  refuses: ["rate_limited"],
  failure: "file_start_failed",
  limits: ["file_starts"],
  badQuery: "invalid_query_parameter",

  async handle(call) {
    const { contentType, size, bytes } = call.body;
    const upload = newUpload(call, call.body, UPLOAD_URL_SECONDS * 1000);
    const whole = { size: size ?? bytes ?? null, multipartId: null, partSize: null, partCount: null };
    await uploads.insert(call.db, call.key.scope, { ...upload, ...whole }, removalTime(upload.expiresAt));
    return {
      id: upload.id,
      uploadUrl: await (await call.bucket()).presignPut(upload.objectKey, contentType),
      method: "PUT" as const,
      headers: { "Content-Type": contentType },
      contentType,
      filename: upload.filename,
      expiresIn: UPLOAD_URL_SECONDS,
    };
  },
});
