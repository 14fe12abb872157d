import { noProject } from "../../lib/editor/refusals.ts";
import { shown } from "../../lib/editor/show.ts";
import { endpoint } from "../../lib/endpoint.ts";
import * as editor from "../../lib/queries/editor.ts";
import { Project } from "../../lib/schemas/editor.ts";

export default endpoint("editor.get", {
  route: "GET /editor/projects/{projectId}",
  summary: "One project with its timeline",
  params: { projectId: "project" },
  malformedId: "project_not_found",
  badQuery: "invalid_payload",
  reply: Project,
  message: "Editor project.",
  refuses: ["project_not_found"],
  failure: "editor_project_get_failed",
  absentPlan: 403,

  async handle(call) {
    const project = await editor.find(call.db, call.key.scope, call.params.projectId);
    if (!project) throw noProject();
    return shown(call, project);
  },
});
