import { folderNotFound, toItemType } from "../../lib/folders/errors.ts";
import { folderEndpoint } from "../../lib/http/families.ts";
import { deleteFolderItems } from "../../lib/queries/folder-items.ts";
import { FolderItemIds, FolderItemsRemoved } from "../../lib/schemas/folder.ts";

export default folderEndpoint("folders.remove-items", {
  route: "DELETE /folders/{folderId}/items",
  permission: "content:write",
  summary: "Remove files or slideshows from a folder without deleting them",
  params: { folderId: "folder" },
  body: FolderItemIds,
  reply: FolderItemsRemoved,
  message: "Items removed.",
  errors: ["not_found"],
  internalError: "folder_items_remove_failed",

  async handle({ db, key, params, body }) {
    const result = await deleteFolderItems(db, key.scope, params.folderId, body.item_ids);
    if (!result) throw folderNotFound();
    return { folder_id: params.folderId, item_type: toItemType(result.mediaType), removed_count: result.removed };
  },
});
