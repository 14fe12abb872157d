import { noProject } from "../../lib/editor/refusals.ts";
import { endpoint } from "../../lib/endpoint.ts";
import * as editor from "../../lib/queries/editor.ts";
import { ProjectDeleted } from "../../lib/schemas/editor.ts";

export default endpoint("editor.delete", {
  route: "DELETE /editor/projects/{projectId}",
  summary: "Delete a project; its files stay",
  params: { projectId: "project" },
  malformedId: "project_not_found",
  badQuery: "invalid_payload",
  reply: ProjectDeleted,
  message: "Editor project deleted.",
  refuses: ["project_not_found"],
  failure: "editor_project_delete_failed",
  absentPlan: 403,

  async handle({ db, key, params }) {
    const gone = await editor.remove(db, key.scope, params.projectId);
    if (!gone) throw noProject();
    return { project_id: params.projectId, deleted: true as const };
  },
});
