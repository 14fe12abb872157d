// Connects Threads profiles. All pages read on 2026-11-24.
import { buildConsentUrl } from "../authorization.ts";
import { exchangeMetaCode, identifyMetaAccount } from "../meta-oauth.ts";
import type { Connector } from "../platform.ts";
import { THREADS } from "./rules.ts";

const LOGIN = { name: "Threads", errorPrefix: "th" } as const;

/** Threads documents no call that ends a consent: its owner removes the app under Settings, Website permissions. */
export const connector: Connector = {
  // https://developers.facebook.com/documentation/threads/get-started/get-access-tokens-and-permissions
  scopes: ["threads_basic", "threads_content_publish"],
  requiredScopes: ["threads_content_publish"],

  authorizeUrl(network, { redirectUri, state }) {
    return buildConsentUrl(network, "https://threads.com/oauth/authorize", {
      client_id: network.clientId,
      redirect_uri: redirectUri,
      scope: (network.scopes ?? this.scopes).join(","),
      response_type: "code",
      state,
    });
  },

  // https://developers.facebook.com/docs/threads/get-started/long-lived-tokens: 1 hour, then 60 days.
  exchange(network, code, io) {
    const tokenUrl = `${network.baseUrl}/oauth/access_token`;
    return exchangeMetaCode(io, network, code, { ...LOGIN, tokenUrl, longLivedGrantType: "th_exchange_token" });
  },

  // https://developers.facebook.com/docs/threads/threads-profiles
  identify(network, grant, io) {
    return identifyMetaAccount(io, `${network.baseUrl}/${THREADS.version}/me`, grant, { ...LOGIN, idField: "id" });
  },
};
