import { endpoint } from "../../lib/endpoint.ts";
import { refusalOf } from "../../lib/folders/answers.ts";
import * as folders from "../../lib/queries/folders.ts";
import { Folder, FolderCreate } from "../../lib/schemas/folder.ts";

export default endpoint("folders.create", {
  route: "POST /folders",
  summary: "Create a folder for files or slideshows",
  description:
    "A tree holds one media_type, nests at most 32 levels deep, and tells the names of siblings apart by more than case.",
  body: FolderCreate,
  reply: Folder,
  status: 201,
  message: "Folder created.",
  refuses: ["not_found", "invalid_folder_media_type", "folder_name_conflict", "folder_too_deep"],
  failure: "folder_create_failed",
  badQuery: "invalid_query_parameter",

  async handle({ db, key, ids, now, body }) {
    const made = await folders.insert(db, key.scope, {
      id: ids(),
      name: body.name,
      mediaType: body.media_type,
      parentId: body.parent_folder_id ?? null,
      createdAt: now,
    });
    if (made.outcome !== "done") throw refusalOf(made.outcome, "create");
    return made.folder;
  },
});
