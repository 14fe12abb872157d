import { fileEndpoint } from "../../lib/http/families.ts";
import { insertUpload } from "../../lib/queries/uploads.ts";
import { UploadStart, UploadStarted } from "../../lib/schemas/file.ts";
import { UPLOAD_URL_SECONDS } from "../../lib/services/storage.ts";
import { getRemovalTime } from "../../lib/uploads/expiry.ts";
import { buildUpload } from "../../lib/uploads/new-upload.ts";

export default fileEndpoint("files.start", {
  route: "POST /files",
  permission: "files:write",
  summary: "Start an upload: get a URL that accepts the bytes directly",
  body: UploadStart,
  reply: UploadStarted,
  status: 201,
  message: "Upload started. PUT the bytes to uploadUrl, then finalize.",
  errors: ["rate_limited"],
  internalError: "file_start_failed",
  limits: ["file_starts"],

  async handle(context) {
    const { contentType, bytes, size = bytes ?? null } = context.body;
    const upload = buildUpload(context, context.body, UPLOAD_URL_SECONDS * 1000);
    const whole = { size, multipartId: null, partSize: null, partCount: null };
    await insertUpload(context.db, context.key.scope, { ...upload, ...whole }, getRemovalTime(upload.expiresAt));
    return {
      id: upload.id,
      uploadUrl: await (await context.storage()).presignPut(upload.objectKey, contentType, size),
      method: "PUT" as const,
      headers: { "Content-Type": contentType },
      contentType,
      filename: upload.filename,
      expiresIn: UPLOAD_URL_SECONDS,
    };
  },
});
