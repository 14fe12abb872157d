import { endpoint } from "../../lib/endpoint.ts";
import { itemTypeOf, noFolder } from "../../lib/folders/answers.ts";
import * as items from "../../lib/queries/folder-items.ts";
import { FolderItemIds, FolderItemsRemoved } from "../../lib/schemas/folder.ts";

export default endpoint("folders.remove-items", {
  route: "DELETE /folders/{folderId}/items",
  summary: "Take files or slideshows out of a folder; they themselves stay",
  description: "Ids that do not lie in the folder are no error and are not counted.",
  params: { folderId: "folder" },
  malformedId: "invalid_path",
  badQuery: "invalid_query_parameter",
  body: FolderItemIds,
  reply: FolderItemsRemoved,
  message: "Items removed.",
  refuses: ["not_found"],
  failure: "folder_items_remove_failed",

  async handle({ db, key, params, body }) {
    const done = await items.remove(db, key.scope, params.folderId, body.item_ids);
    if (!done) throw noFolder();
    return { folder_id: params.folderId, item_type: itemTypeOf(done.mediaType), removed_count: done.removed };
  },
});
