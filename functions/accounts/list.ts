import { toAccountResponse } from "../../lib/accounts/to-response.ts";
import { endpoint } from "../../lib/http/endpoint.ts";
import { listAccounts } from "../../lib/queries/accounts.ts";
import { AccountList, AccountQuery } from "../../lib/schemas/account.ts";

export default endpoint("accounts.list", {
  route: "GET /accounts",
  permission: "accounts:read",
  summary: "List the accounts of the key's scope; posts go to the active ones",
  // Unknown query keys are ignored here.
  query: AccountQuery,
  queryError: { status: "invalid_status" },
  reply: AccountList,
  message: "Accounts in scope.",
  internalError: "accounts_failed",

  load: ({ db, query, key: { scope } }) => listAccounts(db, scope, query.status),

  async handle({ key: { scope } }, rows) {
    return {
      scope: scope.workspaceId ? ("workspace" as const) : ("personal" as const),
      owner_user_id: scope.ownerId,
      workspace_id: scope.workspaceId,
      accounts: rows.map(toAccountResponse),
    };
  },
});
