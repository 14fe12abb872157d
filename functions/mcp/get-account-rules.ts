import { toAccountResponse } from "../../lib/accounts/to-response.ts";
import { endpoint } from "../../lib/http/endpoint.ts";
import { listAccounts } from "../../lib/queries/accounts.ts";
import { Account } from "../../lib/schemas/account.ts";
import { apiError } from "../../lib/shared/errors.ts";

/** One account of GET /accounts, so that an agent does not read the rules of all. */
export default endpoint("mcp.get-account-rules", {
  route: "GET /accounts/{accountId}/rules",
  permission: "accounts:read",
  summary: "Get what one account accepts",
  params: { accountId: "account" },
  reply: Account,
  message: "Rules of the account.",
  errors: ["not_found"],
  internalError: "accounts_failed",

  load: ({ db, key }) => listAccounts(db, key.scope, "all"),

  async handle({ params }, rows) {
    const account = rows.find(({ id }) => id === params.accountId.toLowerCase());
    if (!account) throw apiError("not_found", "No account with this id is visible to the key.");
    return toAccountResponse(account);
  },
});
