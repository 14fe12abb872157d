import { endpoint } from "../../lib/endpoint.ts";
import { refuse } from "../../lib/errors.ts";
import { removeNow } from "../../lib/media/sweep.ts";
import * as files from "../../lib/queries/files.ts";
import { FileDeleted } from "../../lib/schemas/file.ts";

export default endpoint("files.delete", {
  route: "DELETE /files/{fileId}",
  summary: "Delete a file and the bytes behind its URL",
  description:
    "Refused with 409 `file_in_use` while a post that has not left yet (draft, pending, scheduled or retry) names the file, as its media, cover or thumbnail. Posts that are out keep what the networks have; slideshows and packs that name the URL lose the picture, editor projects its picture and sound.",
  params: { fileId: "file" },
  reply: FileDeleted,
  message: "File deleted.",
  refuses: ["not_found", "file_in_use"],
  failure: "file_delete_failed",
  badQuery: "invalid_query_parameter",

  async handle(call) {
    const id = call.params.fileId;
    const removed = await files.remove(call.db, call.key.scope, id, call.now);
    if (!removed) throw refuse("not_found", "No finalized file with this id is visible to the key.");
    if (removed.usedBy.length > 0) {
      const posts = removed.usedBy.join(", ");
      throw refuse(
        "file_in_use",
        `Posts that have not left yet name this file: ${posts}. Delete or change them first.`,
      );
    }
    call.after(removeNow(call, removed.removal));
    return { id, deleted: true as const };
  },
});
