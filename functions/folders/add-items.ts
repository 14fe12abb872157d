import { endpoint } from "../../lib/endpoint.ts";
import { itemTypeOf, noFolder, noItem } from "../../lib/folders/answers.ts";
import * as items from "../../lib/queries/folder-items.ts";
import { FolderItemIds, FolderItemsAdded } from "../../lib/schemas/folder.ts";

export default endpoint("folders.add-items", {
  route: "POST /folders/{folderId}/items",
  summary: "Put files or slideshows into a folder",
  description:
    "A folder takes what its media_type names: uploads, AI images, AI videos or slideshows. All of the items are added or none; one that lies in the folder already is no error and is not counted. An item may lie in several folders.",
  params: { folderId: "folder" },
  malformedId: "invalid_path",
  badQuery: "invalid_query_parameter",
  body: FolderItemIds,
  reply: FolderItemsAdded,
  message: "Items added.",
  refuses: ["not_found", "item_not_found"],
  failure: "folder_items_add_failed",

  async handle({ db, key, params, body, now }) {
    const found = await items.insert(db, key.scope, params.folderId, body.item_ids, now);
    if (!found) throw noFolder();
    if (found.missing.length > 0) throw noItem(found.mediaType, found.missing);
    return { folder_id: params.folderId, item_type: itemTypeOf(found.mediaType), added_count: found.added };
  },
});
