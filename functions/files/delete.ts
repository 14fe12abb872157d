import { fileEndpoint } from "../../lib/http/families.ts";
import { deleteFile } from "../../lib/queries/files.ts";
import { FileDeleted } from "../../lib/schemas/file.ts";
import { apiError } from "../../lib/shared/errors.ts";
import { removeObjectNow } from "../../lib/uploads/cleanup.ts";

export default fileEndpoint("files.delete", {
  route: "DELETE /files/{fileId}",
  permission: "files:write",
  summary: "Delete a file and the bytes behind its URL",
  params: { fileId: "file" },
  reply: FileDeleted,
  message: "File deleted.",
  errors: ["not_found", "file_in_use"],
  internalError: "file_delete_failed",

  async handle(context) {
    const id = context.params.fileId;
    const removed = await deleteFile(context.db, context.key.scope, id, context.now);
    if (!removed) throw apiError("not_found", "No finalized file with this id is visible to the key.");
    if (removed.usedBy.length > 0) {
      const posts = removed.usedBy.join(", ");
      throw apiError("file_in_use", `Unpublished posts use this file: ${posts}. Delete or change them first.`);
    }
    context.waitUntil(removeObjectNow(context, removed.objectDeletion));
    return { id, deleted: true as const };
  },
});
