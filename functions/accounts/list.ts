import * as z from "zod";
import { endpoint } from "../../lib/endpoint.ts";
import { describeCapabilities } from "../../lib/platforms/capabilities.ts";
import * as accounts from "../../lib/queries/accounts.ts";
import { AccountList } from "../../lib/schemas/account.ts";

export default endpoint("accounts.list", {
  route: "GET /accounts",
  summary: "List the active accounts that the key may post to",
  // Unknown query keys are ignored here.
  query: z.object({}),
  reply: AccountList,
  message: "Accounts in scope.",
  failure: "accounts_failed",

  async handle({ db, key: { scope } }) {
    const rows = await accounts.listActive(db, scope);
    return {
      scope: scope.workspaceId ? ("workspace" as const) : ("personal" as const),
      owner_user_id: scope.ownerId,
      workspace_id: scope.workspaceId,
      accounts: rows.map((row) => ({
        id: row.id,
        platform: row.platform,
        type: row.type,
        username: row.username,
        display_name: row.displayName,
        status: row.status,
        workspace_id: row.workspaceId,
        capabilities: describeCapabilities(row.platform, row.type),
      })),
    };
  },
});
