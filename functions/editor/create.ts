import { createDocument, findLengthError, pickAspectRatio } from "../../lib/editor/document.ts";
import { invalidDocument } from "../../lib/editor/errors.ts";
import { requireFiles } from "../../lib/editor/require-files.ts";
import { toProjectResponse } from "../../lib/editor/to-response.ts";
import { editorEndpoint } from "../../lib/http/families.ts";
import { findProjectFiles, insertProject } from "../../lib/queries/editor.ts";
import { Project, ProjectCreate } from "../../lib/schemas/editor.ts";

export default editorEndpoint("editor.create", {
  route: "POST /editor/projects",
  permission: "editor:write",
  summary: "Create a project from finalized files, placed end to end",
  body: ProjectCreate,
  reply: Project,
  status: 201,
  message: "Editor project created.",
  errors: ["project_not_found", "invalid_document"],
  internalError: "editor_project_create_failed",

  load: ({ db, key, body }) => findProjectFiles(db, key.scope, body.file_ids),

  async handle(context, found) {
    const { db, key, ids, body, now } = context;
    const [first, ...rest] = requireFiles(body.file_ids, found);
    const id = ids();
    const document = createDocument([first, ...rest], ids);
    const lengthError = findLengthError(document);
    if (lengthError) throw invalidDocument(lengthError);
    const project = {
      id,
      title: body.title,
      aspectRatio: body.aspect_ratio ?? pickAspectRatio(first),
      document,
      createdAt: now,
    };
    return toProjectResponse(context, await insertProject(db, key.scope, project, key.publicId));
  },
});
