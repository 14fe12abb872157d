import { UPLOAD_URL_SECONDS } from "../../lib/bucket.ts";
import { endpoint } from "../../lib/endpoint.ts";
import * as files from "../../lib/queries/files.ts";
import { UploadStart, UploadStarted } from "../../lib/schemas/file.ts";

export default endpoint("files.start", {
  route: "POST /files",
  summary: "Start an upload: get a URL that takes the bytes straight into the bucket",
  body: UploadStart,
  reply: UploadStarted,
  status: 201,
  message: "Upload started. PUT the bytes to uploadUrl, then finalize.",
  refuses: ["rate_limited"],
  failure: "file_start_failed",
  limits: ["file_starts"],
  badQuery: "invalid_query_parameter",

  async handle({ db, key, bucket, ids, now, body }) {
    const id = ids();
    const objectKey = `${key.scope.id}/${id}`;
    const filename = body.filename ?? `${id}.${body.contentType.split("/")[1]}`;
    const expiresAt = new Date(now.getTime() + UPLOAD_URL_SECONDS * 1000);
    const { contentType } = body;
    const size = body.size ?? body.bytes ?? null;
    await files.insertUpload(db, key.scope, { id, objectKey, contentType, filename, size, expiresAt, createdAt: now });
    return {
      id,
      uploadUrl: await (await bucket()).presignPut(objectKey, contentType),
      method: "PUT" as const,
      headers: { "Content-Type": contentType },
      contentType,
      filename,
      expiresIn: UPLOAD_URL_SECONDS,
    };
  },
});
