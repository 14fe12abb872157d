import { projectNotFound } from "../../lib/editor/errors.ts";
import { toProjectResponse } from "../../lib/editor/to-response.ts";
import { editorEndpoint } from "../../lib/http/families.ts";
import { findProject } from "../../lib/queries/editor.ts";
import { Project } from "../../lib/schemas/editor.ts";

export default editorEndpoint("editor.get", {
  route: "GET /editor/projects/{projectId}",
  permission: "editor:read",
  summary: "Get one project with its timeline",
  params: { projectId: "project" },
  reply: Project,
  message: "Editor project.",
  errors: ["project_not_found"],
  internalError: "editor_project_get_failed",

  load: ({ db, key, params }) => findProject(db, key.scope, params.projectId),

  async handle(context, project) {
    if (!project) throw projectNotFound();
    return toProjectResponse(context, project);
  },
});
