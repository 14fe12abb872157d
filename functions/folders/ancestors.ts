import { endpoint } from "../../lib/endpoint.ts";
import { noFolder } from "../../lib/folders/answers.ts";
import * as folders from "../../lib/queries/folders.ts";
import { FolderAncestors } from "../../lib/schemas/folder.ts";

export default endpoint("folders.ancestors", {
  route: "GET /folders/{folderId}/ancestors",
  summary: "The folders above a folder, from the root down to its parent",
  params: { folderId: "folder" },
  malformedId: "invalid_path",
  badQuery: "invalid_query_parameter",
  reply: FolderAncestors,
  message: "Ancestors of the folder.",
  refuses: ["not_found"],
  failure: "folder_ancestors_failed",

  async handle({ db, key, params }) {
    const ancestors = await folders.ancestors(db, key.scope, params.folderId);
    if (!ancestors) throw noFolder();
    return { ancestors };
  },
});
