import { laidOut, lengthFault, ratioOf } from "../../lib/editor/document.ts";
import { filesFor } from "../../lib/editor/files.ts";
import { invalid } from "../../lib/editor/refusals.ts";
import { shown } from "../../lib/editor/show.ts";
import { endpoint } from "../../lib/endpoint.ts";
import * as editor from "../../lib/queries/editor.ts";
import { Project, ProjectCreate } from "../../lib/schemas/editor.ts";

export default endpoint("editor.create", {
  route: "POST /editor/projects",
  summary: "Make a project from finalized files, laid end to end",
  body: ProjectCreate,
  badQuery: "invalid_payload",
  reply: Project,
  status: 201,
  message: "Editor project created.",
  refuses: ["project_not_found", "invalid_document"],
  failure: "editor_project_create_failed",
  absentPlan: 403,

  load: ({ db, key, body }) => editor.findFiles(db, key.scope, body.file_ids),

  async handle(call, found) {
    const { db, key, ids, body, now } = call;
    const [first, ...rest] = filesFor(body.file_ids, found);
    const id = ids();
    const document = laidOut([first, ...rest], ids);
    const fault = lengthFault(document);
    if (fault) throw invalid(fault);
    const project = {
      id,
      title: body.title,
      aspectRatio: body.aspect_ratio ?? ratioOf(first),
      document,
      createdAt: now,
    };
    return shown(call, await editor.insert(db, key.scope, project, key.publicId));
  },
});
