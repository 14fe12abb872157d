import { endpoint } from "../../lib/endpoint.ts";
import { itemTypeOf, noFolder } from "../../lib/folders/answers.ts";
import * as items from "../../lib/queries/folder-items.ts";
import { FolderItems, FolderItemsQuery } from "../../lib/schemas/folder.ts";

export default endpoint("folders.list-items", {
  route: "GET /folders/{folderId}/items",
  summary: "List the files or slideshows in a folder, newest first",
  description: "What lies in its subfolders is theirs.",
  params: { folderId: "folder" },
  malformedId: "invalid_path",
  query: FolderItemsQuery,
  badQuery: "invalid_query_parameter",
  reply: FolderItems,
  message: "Items of the folder.",
  refuses: ["not_found"],
  failure: "folder_items_list_failed",

  async handle({ db, key, params, query }) {
    const page = await items.list(db, key.scope, params.folderId, query);
    if (!page) throw noFolder();
    const { mediaType, ...found } = page;
    return { media_type: mediaType, item_type: itemTypeOf(mediaType), ...found, ...query };
  },
});
