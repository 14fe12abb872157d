import { parentNotFound } from "../../lib/folders/errors.ts";
import { toFolderResponse } from "../../lib/folders/to-response.ts";
import { folderEndpoint } from "../../lib/http/families.ts";
import { listFolders } from "../../lib/queries/folders.ts";
import { FolderList, FolderQuery } from "../../lib/schemas/folder.ts";

export default folderEndpoint("folders.list", {
  route: "GET /folders",
  permission: "content:read",
  summary: "List folders, newest first",
  query: FolderQuery,
  reply: FolderList,
  message: "Folders in scope.",
  errors: ["not_found"],
  internalError: "folder_list_failed",

  load({ db, key, query }) {
    const { media_type: mediaType, parent_folder_id: parent, ...paging } = query;
    return listFolders(db, key.scope, { mediaType, parent, ...paging });
  },

  async handle({ query: { limit, offset } }, page) {
    if (!page) throw parentNotFound();
    const { rows, total, nextCursor } = page;
    return { folders: rows.map(toFolderResponse), total, limit, offset, next_cursor: nextCursor };
  },
});
