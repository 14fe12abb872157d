import { folderNotFound, itemNotFound, toItemType } from "../../lib/folders/errors.ts";
import { folderEndpoint } from "../../lib/http/families.ts";
import { insertFolderItems } from "../../lib/queries/folder-items.ts";
import { FolderItemIds, FolderItemsAdded } from "../../lib/schemas/folder.ts";

export default folderEndpoint("folders.add-items", {
  route: "POST /folders/{folderId}/items",
  permission: "content:write",
  summary: "Put files or slideshows into a folder",
  params: { folderId: "folder" },
  body: FolderItemIds,
  reply: FolderItemsAdded,
  message: "Items added.",
  errors: ["not_found", "item_not_found"],
  internalError: "folder_items_add_failed",

  async handle({ db, key, params, body, now }) {
    const found = await insertFolderItems(db, key.scope, params.folderId, body.item_ids, now);
    if (!found) throw folderNotFound();
    if (found.missing.length > 0) throw itemNotFound(found.mediaType, found.missing);
    return { folder_id: params.folderId, item_type: toItemType(found.mediaType), added_count: found.added };
  },
});
