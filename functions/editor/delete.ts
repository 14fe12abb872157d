import { projectNotFound } from "../../lib/editor/errors.ts";
import { editorEndpoint } from "../../lib/http/families.ts";
import { deleteProject } from "../../lib/queries/editor.ts";
import { ProjectDeleted } from "../../lib/schemas/editor.ts";

export default editorEndpoint("editor.delete", {
  route: "DELETE /editor/projects/{projectId}",
  permission: "editor:write",
  summary: "Delete a project; its files are kept",
  params: { projectId: "project" },
  reply: ProjectDeleted,
  message: "Editor project deleted.",
  errors: ["project_not_found"],
  internalError: "editor_project_delete_failed",

  async handle({ db, key, params }) {
    const deleted = await deleteProject(db, key.scope, params.projectId);
    if (!deleted) throw projectNotFound();
    return { project_id: params.projectId, deleted: true as const };
  },
});
