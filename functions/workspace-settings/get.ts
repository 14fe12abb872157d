import { endpoint } from "../../lib/http/endpoint.ts";
import { findWorkspaceSettings } from "../../lib/queries/workspaces.ts";
import { Workspace } from "../../lib/schemas/workspace.ts";

export default endpoint("workspace-settings.get", {
  route: "GET /workspace",
  permission: "workspace:read",
  summary: "Get the workspace and its time zone",
  reply: Workspace,
  message: "Workspace.",
  internalError: "workspace_get_failed",

  load: ({ db, key }) => findWorkspaceSettings(db, key.scope),

  async handle(_context, found) {
    if (!found) throw new Error("The workspace of a valid key does not exist.");
    const { timeZone, ...workspace } = found;
    return { ...workspace, time_zone: timeZone };
  },
});
