import { endpoint } from "../../lib/endpoint.ts";
import { refuse } from "../../lib/errors.ts";
import { report } from "../../lib/media/report.ts";
import * as files from "../../lib/queries/files.ts";
import { FileRead } from "../../lib/schemas/file.ts";

export default endpoint("files.get", {
  route: "GET /files/{fileId}",
  summary: "One file, with what its bytes are attested to be and which networks take it",
  description: "`file`, `attestation` and `fit` are those of its finalize. An upload is no file until it is finalized.",
  params: { fileId: "file" },
  reply: FileRead,
  message: "File.",
  refuses: ["not_found"],
  failure: "file_get_failed",
  badQuery: "invalid_query_parameter",

  async handle({ db, key, params }) {
    const file = await files.find(db, key.scope, params.fileId);
    if (!file) throw refuse("not_found", "No finalized file with this id is visible to the key.");
    return { ...file, ...report(file) };
  },
});
