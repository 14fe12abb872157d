import { folderNotFound, toItemType } from "../../lib/folders/errors.ts";
import { toItemResponses } from "../../lib/folders/to-response.ts";
import { folderEndpoint } from "../../lib/http/families.ts";
import { listFolderItems } from "../../lib/queries/folder-items.ts";
import { FolderItems, FolderItemsQuery } from "../../lib/schemas/folder.ts";

export default folderEndpoint("folders.list-items", {
  route: "GET /folders/{folderId}/items",
  permission: "content:read",
  summary: "List the files or slideshows in a folder, newest first",
  params: { folderId: "folder" },
  query: FolderItemsQuery,
  reply: FolderItems,
  message: "Items of the folder.",
  errors: ["not_found"],
  internalError: "folder_items_list_failed",

  load: ({ db, key, params, query }) => listFolderItems(db, key.scope, params.folderId, query),

  async handle({ query }, page) {
    if (!page) throw folderNotFound();
    const { mediaType, total, nextCursor } = page;
    const { limit, offset } = query;
    return {
      media_type: mediaType,
      item_type: toItemType(mediaType),
      items: toItemResponses(page),
      ...{ total, limit, offset, next_cursor: nextCursor },
    };
  },
});
