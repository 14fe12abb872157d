import { folderNotFound } from "../../lib/folders/errors.ts";
import { folderEndpoint } from "../../lib/http/families.ts";
import { deleteFolder } from "../../lib/queries/folder-updates.ts";
import { FolderDeleted } from "../../lib/schemas/folder.ts";

export default folderEndpoint("folders.delete", {
  route: "DELETE /folders/{folderId}",
  permission: "content:write",
  summary: "Delete a folder and all its subfolders",
  params: { folderId: "folder" },
  reply: FolderDeleted,
  message: "Folder deleted.",
  errors: ["not_found"],
  internalError: "folder_delete_failed",

  async handle({ db, key, params }) {
    const deleted = await deleteFolder(db, key.scope, params.folderId);
    if (!deleted) throw folderNotFound();
    return { id: params.folderId, deleted };
  },
});
