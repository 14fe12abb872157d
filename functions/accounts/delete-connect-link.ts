import { endpoint } from "../../lib/http/endpoint.ts";
import { deleteConnectLink } from "../../lib/queries/connect-links.ts";
import { ConnectLinkDeleted } from "../../lib/schemas/account.ts";
import { apiError } from "../../lib/shared/errors.ts";

export default endpoint("accounts.delete-connect-link", {
  route: "DELETE /accounts/connect-links/{linkId}",
  permission: "accounts:write",
  summary: "Delete a connect link; the accounts that were connected by it stay connected",
  params: { linkId: "link" },
  reply: ConnectLinkDeleted,
  message: "Connect link deleted.",
  errors: ["not_found"],
  internalError: "connect_link_delete_failed",

  async handle({ db, key, params }) {
    const removed = await deleteConnectLink(db, key.scope, params.linkId);
    if (!removed) throw apiError("not_found", "No connect link with this id is visible to the key.");
    return { id: params.linkId, deleted: true as const };
  },
});
