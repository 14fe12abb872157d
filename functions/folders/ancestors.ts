import { folderNotFound } from "../../lib/folders/errors.ts";
import { toAncestorResponse } from "../../lib/folders/to-response.ts";
import { folderEndpoint } from "../../lib/http/families.ts";
import { listFolderAncestors } from "../../lib/queries/folders.ts";
import { FolderAncestors } from "../../lib/schemas/folder.ts";

export default folderEndpoint("folders.ancestors", {
  route: "GET /folders/{folderId}/ancestors",
  permission: "content:read",
  summary: "List the ancestors of a folder, from the root to its parent",
  params: { folderId: "folder" },
  reply: FolderAncestors,
  message: "Ancestors of the folder.",
  errors: ["not_found"],
  internalError: "folder_ancestors_failed",

  load: ({ db, key, params }) => listFolderAncestors(db, key.scope, params.folderId),

  async handle(_context, ancestors) {
    if (!ancestors) throw folderNotFound();
    return { ancestors: ancestors.map(toAncestorResponse) };
  },
});
