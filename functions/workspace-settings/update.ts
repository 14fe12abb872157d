import { endpoint } from "../../lib/http/endpoint.ts";
import { saveTimeZone } from "../../lib/queries/workspaces.ts";
import { Workspace, WorkspacePatch } from "../../lib/schemas/workspace.ts";

export default endpoint("workspace-settings.update", {
  route: "PATCH /workspace",
  permission: "workspace:write",
  summary: "Change the time zone of the workspace",
  body: WorkspacePatch,
  reply: Workspace,
  message: "Workspace updated.",
  internalError: "workspace_update_failed",

  async handle({ db, key, body }) {
    const saved = await saveTimeZone(db, key.scope, body.time_zone);
    if (!saved) throw new Error("The workspace of a valid key does not exist.");
    const { timeZone, ...workspace } = saved;
    return { ...workspace, time_zone: timeZone };
  },
});
