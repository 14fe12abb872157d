import { folderNotFound } from "../../lib/folders/errors.ts";
import { toFolderResponse } from "../../lib/folders/to-response.ts";
import { folderEndpoint } from "../../lib/http/families.ts";
import { findFolder } from "../../lib/queries/folders.ts";
import { Folder } from "../../lib/schemas/folder.ts";

export default folderEndpoint("folders.get", {
  route: "GET /folders/{folderId}",
  permission: "content:read",
  summary: "Get one folder with its path, counts and newest items",
  params: { folderId: "folder" },
  reply: Folder,
  message: "Folder.",
  errors: ["not_found"],
  internalError: "folder_get_failed",

  load: ({ db, key, params }) => findFolder(db, key.scope, params.folderId),

  async handle(_context, folder) {
    if (!folder) throw folderNotFound();
    return toFolderResponse(folder);
  },
});
