import { endpoint } from "../../lib/endpoint.ts";
import { noFolder, refusalOf } from "../../lib/folders/answers.ts";
import * as folders from "../../lib/queries/folders.ts";
import { Folder, FolderMove } from "../../lib/schemas/folder.ts";

export default endpoint("folders.update", {
  route: "PATCH /folders/{folderId}",
  summary: "Move a folder, with all that is under it, to another parent or to the root",
  params: { folderId: "folder" },
  malformedId: "invalid_path",
  badQuery: "invalid_query_parameter",
  body: FolderMove,
  reply: Folder,
  message: "Folder moved.",
  refuses: ["not_found", "invalid_folder_media_type", "folder_move_conflict", "folder_too_deep"],
  failure: "folder_update_failed",

  async handle({ db, key, params, body, now }) {
    const moved = await folders.move(db, key.scope, params.folderId, body.parent_folder_id, now);
    if (!moved) throw noFolder();
    if (moved.outcome !== "done") throw refusalOf(moved.outcome, "move");
    return moved.folder;
  },
});
