import * as z from "zod";
import { endpoint } from "../../lib/http/endpoint.ts";
import { findWorkspaceSettings } from "../../lib/queries/workspaces.ts";
import { Id, Instant } from "../../lib/schemas/common.ts";
import { hasPermission, PERMISSIONS } from "../../lib/shared/permissions.ts";

/** An agent needs the time, the zone in which people think, and what its key may do. */
export default endpoint("mcp.get-context", {
  route: "GET /context",
  permission: "workspace:read",
  summary: "Get the workspace, the time, and what the key may do",
  reply: z.object({
    workspace: z.object({ id: Id.nullable(), name: z.string().nullable(), time_zone: z.string() }),
    now: Instant,
    permissions: z.array(z.enum(PERMISSIONS)),
    can_publish: z.boolean(),
    account_ids: z.array(Id).nullable(),
  }),
  message: "Context.",
  internalError: "workspace_get_failed",

  load: ({ db, key }) => findWorkspaceSettings(db, key.scope),

  async handle({ actor, now }, found) {
    if (!found) throw new Error("The workspace of a valid key does not exist.");
    const { timeZone, ...workspace } = found;
    const permissions = PERMISSIONS.filter((permission) => hasPermission(actor.permissions, permission));
    return {
      workspace: { ...workspace, time_zone: timeZone },
      now,
      permissions,
      can_publish: permissions.includes("posts:publish"),
      account_ids: actor.scope.accountIds ? [...actor.scope.accountIds] : null,
    };
  },
});
