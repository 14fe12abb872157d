import { createConnectLink } from "../../lib/accounts/connect-links.ts";
import { endpoint } from "../../lib/http/endpoint.ts";
import { listAppPlatforms } from "../../lib/queries/network-apps.ts";
import { ConnectLinkCreate, ConnectLinkCreated } from "../../lib/schemas/account.ts";

export default endpoint("accounts.create-connect-link", {
  route: "POST /accounts/connect-links",
  permission: "accounts:write",
  summary: "Create a link with which a person without an account here connects social accounts",
  body: ConnectLinkCreate,
  reply: ConnectLinkCreated,
  status: 201,
  message: "Connect link created.",
  errors: ["platform_unavailable"],
  limits: ["connect_links"],
  internalError: "connect_link_create_failed",

  load: ({ db, key }) => listAppPlatforms(db, key.scope),

  async handle(context, ownApps) {
    const { platforms, redirect_url, expires_in, label } = context.body;
    const { id, url, expiresAt } = await createConnectLink(context, {
      platforms: platforms ?? null,
      redirectUrl: redirect_url ?? null,
      expiresInSeconds: expires_in,
      label: label ?? null,
      ownApps,
    });
    return { id, url, expires_at: expiresAt };
  },
});
