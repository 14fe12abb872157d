// Connects professional Instagram accounts: Business Login. All pages read on 2026-11-24.
import { buildConsentUrl, getHost } from "../authorization.ts";
import { exchangeMetaCode, identifyMetaAccount } from "../meta-oauth.ts";
import type { Connector } from "../platform.ts";
import { INSTAGRAM } from "./rules.ts";

const LOGIN = { name: "Instagram", errorPrefix: "ig" } as const;

/** Instagram documents no call that ends a consent: its owner removes the app under Settings, Website permissions. */
export const connector: Connector = {
  // https://developers.facebook.com/docs/instagram-platform/instagram-api-with-instagram-login/business-login
  scopes: ["instagram_business_basic", "instagram_business_content_publish", "instagram_business_manage_insights"],
  requiredScopes: ["instagram_business_content_publish"],

  authorizeUrl(network, { redirectUri, state }) {
    return buildConsentUrl(network, "https://www.instagram.com/oauth/authorize", {
      client_id: network.clientId,
      redirect_uri: redirectUri,
      response_type: "code",
      scope: (network.scopes ?? this.scopes).join(","),
      state,
    });
  },

  // https://developers.facebook.com/documentation/instagram-platform/reference/access_token: 1 hour, then 60 days.
  exchange(network, code, io) {
    const tokenUrl = `${getHost(network, "instagram", "https://api.instagram.com")}/oauth/access_token`;
    return exchangeMetaCode(io, network, code, { ...LOGIN, tokenUrl, longLivedGrantType: "ig_exchange_token" });
  },

  // https://developers.facebook.com/documentation/instagram-platform/instagram-api-with-instagram-login/get-started:
  // `user_id` is the professional account's id, which publishing takes; `id` is another one, of this app only.
  identify(network, grant, io) {
    const url = `${network.baseUrl}/${INSTAGRAM.version}/me`;
    return identifyMetaAccount(io, url, grant, { ...LOGIN, idField: "user_id" });
  },
};
