import { endpoint } from "../../lib/endpoint.ts";
import { refuse } from "../../lib/errors.ts";
import * as files from "../../lib/queries/files.ts";
import { FileList, FileQuery } from "../../lib/schemas/file.ts";

export default endpoint("files.list", {
  route: "GET /files",
  summary: "List finalized files, newest first",
  description: "What was uploaded; pictures that were drawn for slideshows are not among them.",
  query: FileQuery,
  badQuery: "invalid_query_parameter",
  reply: FileList,
  message: "Files in scope.",
  refuses: ["not_found"],
  failure: "file_list_failed",

  async handle({ db, key, query }) {
    const page = await files.list(db, key.scope, query);
    if (!page) throw refuse("not_found", "No folder with this folder_id is visible to the key.");
    return { files: page.rows, total: page.total, limit: query.limit, offset: query.offset };
  },
});
