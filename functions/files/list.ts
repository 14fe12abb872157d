import { fileEndpoint } from "../../lib/http/families.ts";
import { listFiles } from "../../lib/queries/files.ts";
import { FileList, FileQuery } from "../../lib/schemas/file.ts";
import { apiError } from "../../lib/shared/errors.ts";

export default fileEndpoint("files.list", {
  route: "GET /files",
  permission: "files:read",
  summary: "List finalized files, newest first",
  query: FileQuery,
  reply: FileList,
  message: "Files in scope.",
  errors: ["not_found"],
  internalError: "file_list_failed",

  load: ({ db, key, query }) => listFiles(db, key.scope, query),

  async handle({ query }, page) {
    if (!page) throw apiError("not_found", "No folder with this folder_id is visible to the key.");
    const { limit, offset } = query;
    return { files: page.rows, total: page.total, limit, offset, next_cursor: page.nextCursor };
  },
});
