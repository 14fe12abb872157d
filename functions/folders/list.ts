import { endpoint } from "../../lib/endpoint.ts";
import { noParent } from "../../lib/folders/answers.ts";
import * as folders from "../../lib/queries/folders.ts";
import { FolderList, FolderQuery } from "../../lib/schemas/folder.ts";

export default endpoint("folders.list", {
  route: "GET /folders",
  summary: "List folders, newest first",
  description:
    "Without parent_folder_id the folders of every level are listed; `parent_folder_id=root` lists those that have no parent.",
  query: FolderQuery,
  badQuery: "invalid_query_parameter",
  reply: FolderList,
  message: "Folders in scope.",
  refuses: ["not_found"],
  failure: "folder_list_failed",

  async handle({ db, key, query }) {
    const page = await folders.list(db, key.scope, query);
    if (!page) throw noParent();
    return { folders: page.rows, total: page.total, limit: query.limit, offset: query.offset };
  },
});
