import { folderNotFound, toFolderError } from "../../lib/folders/errors.ts";
import { toFolderResponse } from "../../lib/folders/to-response.ts";
import { folderEndpoint } from "../../lib/http/families.ts";
import { moveFolder } from "../../lib/queries/folder-updates.ts";
import { Folder, FolderMove } from "../../lib/schemas/folder.ts";

export default folderEndpoint("folders.update", {
  route: "PATCH /folders/{folderId}",
  permission: "content:write",
  summary: "Move a folder with its subfolders to another parent or to the root",
  params: { folderId: "folder" },
  body: FolderMove,
  reply: Folder,
  message: "Folder moved.",
  errors: ["not_found", "invalid_folder_media_type", "folder_move_conflict", "folder_too_deep"],
  internalError: "folder_update_failed",

  async handle({ db, key, params, body, now }) {
    const moved = await moveFolder(db, key.scope, params.folderId, body.parent_folder_id, now);
    if (!moved) throw folderNotFound();
    if (moved.outcome !== "done") throw toFolderError(moved.outcome, "move");
    return toFolderResponse(moved.folder);
  },
});
