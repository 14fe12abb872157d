import { toProjectResponse } from "../../lib/editor/to-response.ts";
import { updateProject } from "../../lib/editor/update-project.ts";
import { editorEndpoint } from "../../lib/http/families.ts";
import { findProject } from "../../lib/queries/editor.ts";
import { Project, ProjectPatch } from "../../lib/schemas/editor.ts";

export default editorEndpoint("editor.update", {
  route: "PATCH /editor/projects/{projectId}",
  permission: "editor:write",
  summary: "Change the title, the clips or the text clips of a project",
  params: { projectId: "project" },
  body: ProjectPatch,
  reply: Project,
  message: "Editor project updated.",
  errors: ["project_not_found", "editor_locked", "editor_conflict", "invalid_document"],
  internalError: "editor_project_update_failed",

  load: ({ db, key, params }) => findProject(db, key.scope, params.projectId),

  handle: async (context, found) => toProjectResponse(context, await updateProject(context, found)),
});
