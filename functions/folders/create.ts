import { toFolderError } from "../../lib/folders/errors.ts";
import { toFolderResponse } from "../../lib/folders/to-response.ts";
import { folderEndpoint } from "../../lib/http/families.ts";
import { insertFolder } from "../../lib/queries/folder-updates.ts";
import { Folder, FolderCreate } from "../../lib/schemas/folder.ts";

export default folderEndpoint("folders.create", {
  route: "POST /folders",
  permission: "content:write",
  summary: "Create a folder for files or slideshows",
  body: FolderCreate,
  reply: Folder,
  status: 201,
  message: "Folder created.",
  errors: ["not_found", "invalid_folder_media_type", "folder_name_conflict", "folder_too_deep"],
  internalError: "folder_create_failed",

  async handle({ db, key, ids, now, body }) {
    const created = await insertFolder(db, key.scope, {
      id: ids(),
      name: body.name,
      mediaType: body.media_type,
      parentId: body.parent_folder_id ?? null,
      createdAt: now,
    });
    if (created.outcome !== "done") throw toFolderError(created.outcome, "create");
    return toFolderResponse(created.folder);
  },
});
