import { endpoint } from "../../lib/endpoint.ts";
import { noFolder } from "../../lib/folders/answers.ts";
import * as folders from "../../lib/queries/folders.ts";
import { FolderDeleted } from "../../lib/schemas/folder.ts";

export default endpoint("folders.delete", {
  route: "DELETE /folders/{folderId}",
  summary: "Delete a folder with all folders under it",
  description: "What lies in the folders stays: only that it lay there is forgotten.",
  params: { folderId: "folder" },
  malformedId: "invalid_path",
  badQuery: "invalid_query_parameter",
  reply: FolderDeleted,
  message: "Folder deleted.",
  refuses: ["not_found"],
  failure: "folder_delete_failed",

  async handle({ db, key, params }) {
    const deleted = await folders.remove(db, key.scope, params.folderId);
    if (!deleted) throw noFolder();
    return { id: params.folderId, deleted };
  },
});
