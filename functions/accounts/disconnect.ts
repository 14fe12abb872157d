import { disconnectAccount } from "../../lib/accounts/disconnect-account.ts";
import { endpoint } from "../../lib/http/endpoint.ts";
import { AccountDisconnected } from "../../lib/schemas/account.ts";

export default endpoint("accounts.disconnect", {
  route: "DELETE /accounts/{accountId}",
  permission: "accounts:write",
  summary: "Disconnect an account, and end the access at the network",
  params: { accountId: "account" },
  reply: AccountDisconnected,
  message: "Account disconnected.",
  errors: ["not_found", "account_hosted"],
  internalError: "account_disconnect_failed",

  async handle(context) {
    const { accountId } = context.params;
    const { revoked } = await disconnectAccount(context, context.key.scope, accountId);
    return { id: accountId, status: "disconnected" as const, revoked };
  },
});
