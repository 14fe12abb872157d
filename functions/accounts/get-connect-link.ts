import { getLinkStatus } from "../../lib/accounts/connect-links.ts";
import { endpoint } from "../../lib/http/endpoint.ts";
import { findConnectLink } from "../../lib/queries/connect-links.ts";
import { ConnectLink } from "../../lib/schemas/account.ts";
import { apiError } from "../../lib/shared/errors.ts";

export default endpoint("accounts.get-connect-link", {
  route: "GET /accounts/connect-links/{linkId}",
  permission: "accounts:read",
  summary: "The state of a connect link, and the accounts that were connected by it",
  params: { linkId: "link" },
  reply: ConnectLink,
  message: "Connect link.",
  errors: ["not_found"],
  internalError: "connect_link_get_failed",

  load: ({ db, key, params }) => findConnectLink(db, key.scope, params.linkId),

  async handle({ now }, link) {
    if (!link) throw apiError("not_found", "No connect link with this id is visible to the key.");
    const { id, platforms, label, redirectUrl, accounts, expiresAt, createdAt } = link;
    return {
      ...{ id, status: getLinkStatus(link, now), platforms, label, redirect_url: redirectUrl },
      accounts: accounts.map(({ displayName, ...account }) => ({ ...account, display_name: displayName })),
      ...{ expires_at: expiresAt, created_at: createdAt },
    };
  },
});
