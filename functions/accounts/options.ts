import { endpoint } from "../../lib/http/endpoint.ts";
import { listAccountOptions, loadOptions } from "../../lib/publishing/account-options.ts";
import { AccountOptions, AccountOptionsQuery } from "../../lib/schemas/account.ts";

export default endpoint("accounts.options", {
  route: "GET /accounts/{accountId}/options",
  permission: "accounts:read",
  summary: "List what an account can choose from at its network: boards, playlists, categories, privacy levels",
  params: { accountId: "account" },
  query: AccountOptionsQuery,
  reply: AccountOptions,
  message: "Options of the account.",
  errors: ["not_found", "account_disconnected", "provider_error", "rate_limited"],
  internalError: "account_options_failed",
  limits: ["account_options"],

  load: (context) => loadOptions(context, context.params.accountId, context.query),

  handle: (context, loaded) => listAccountOptions(context, context.params.accountId, context.query, loaded),
});
