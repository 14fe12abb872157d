import { endpoint } from "../../lib/endpoint.ts";
import { noFolder } from "../../lib/folders/answers.ts";
import * as folders from "../../lib/queries/folders.ts";
import { Folder } from "../../lib/schemas/folder.ts";

export default endpoint("folders.get", {
  route: "GET /folders/{folderId}",
  summary: "One folder with its path, counts and newest items",
  params: { folderId: "folder" },
  malformedId: "invalid_path",
  badQuery: "invalid_query_parameter",
  reply: Folder,
  message: "Folder.",
  refuses: ["not_found"],
  failure: "folder_get_failed",

  async handle({ db, key, params }) {
    const folder = await folders.find(db, key.scope, params.folderId);
    if (!folder) throw noFolder();
    return folder;
  },
});
