import * as z from "zod";
import { fileEndpoint } from "../../lib/http/families.ts";
import { WebUrl } from "../../lib/schemas/common.ts";
import { Finalized } from "../../lib/schemas/file.ts";
import { toFileReport } from "../../lib/uploads/file-report.ts";
import { finalizeUpload, missingBytesError } from "../../lib/uploads/finalize.ts";
import { importUrl } from "../../lib/uploads/import-url.ts";

/** Not a part of the HTTP API, where callers upload their files themselves. */
export default fileEndpoint("files.import", {
  route: "POST /files/import",
  permission: "files:write",
  summary: "Copy a file from a public URL",
  body: z.strictObject({ url: WebUrl }),
  reply: Finalized,
  status: 201,
  message: "File imported.",
  errors: ["media_unreachable", "upload_failed", "rate_limited"],
  internalError: "file_finalize_failed",
  limits: ["file_starts", "file_finalizes", "outside_urls"],
  heartbeat: true,

  async handle(context) {
    const upload = await importUrl(context, context.body.url);
    return toFileReport(await finalizeUpload(context, upload, missingBytesError(upload)));
  },
});
