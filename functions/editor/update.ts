import { edited } from "../../lib/editor/edit.ts";
import { shown } from "../../lib/editor/show.ts";
import { endpoint } from "../../lib/endpoint.ts";
import * as editor from "../../lib/queries/editor.ts";
import { Project, ProjectPatch } from "../../lib/schemas/editor.ts";

export default endpoint("editor.update", {
  route: "PATCH /editor/projects/{projectId}",
  summary: "Change the title, the clips or the text clips of a project",
  description:
    "`expected_updated_at` is the `updated_at` that was last read; a project that has changed since is left alone. A change of clips or text clips makes an earlier render stale.",
  params: { projectId: "project" },
  malformedId: "project_not_found",
  body: ProjectPatch,
  badQuery: "invalid_payload",
  reply: Project,
  message: "Editor project updated.",
  refuses: ["project_not_found", "editor_locked", "editor_conflict", "invalid_document"],
  failure: "editor_project_update_failed",
  absentPlan: 403,

  load: ({ db, key, params }) => editor.find(db, key.scope, params.projectId),

  handle: async (call, found) => shown(call, await edited(call, found)),
});
