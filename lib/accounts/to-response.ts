// A stored account in its public shape.
import { describeCapabilities } from "../platforms/capabilities.ts";
import { getReconnectBy } from "../platforms/token-lifetimes.ts";
import type { ListedAccount } from "../queries/accounts.ts";

export function toAccountResponse(row: ListedAccount) {
  return {
    ...{ id: row.id, platform: row.platform, type: row.type, username: row.username, display_name: row.displayName },
    ...{ status: row.status, workspace_id: row.workspaceId },
    reconnect_by: getReconnectBy(row)?.toISOString() ?? null,
    capabilities: describeCapabilities(row.platform, row.type, row.grantedScopes),
  };
}
