// Connects Pinterest accounts; each post names its board. All pages read on 2026-11-24.
import { buildConsentUrl, callTokenEndpoint, readGrant, unidentified } from "../authorization.ts";
import { pickString, sendRequest } from "../http.ts";
import { basicAuthHeader } from "../oauth.ts";
import type { Connector } from "../platform.ts";
import { NETWORK } from "./api.ts";
import { assertSuccess } from "./errors.ts";

/** Pinterest documents no call that ends a consent: its owner removes the app under Settings, Security. */
export const connector: Connector = {
  // https://github.com/pinterest/api-description/blob/main/v5/openapi.json
  scopes: ["user_accounts:read", "boards:read", "boards:write", "pins:read", "pins:write"],
  requiredScopes: ["pins:write"],

  // https://developers.pinterest.com/docs/getting-started/set-up-authentication-and-authorization/
  authorizeUrl(network, { redirectUri, state }) {
    return buildConsentUrl(network, "https://www.pinterest.com/oauth/", {
      client_id: network.clientId,
      redirect_uri: redirectUri,
      response_type: "code",
      scope: (network.scopes ?? this.scopes).join(","),
      state,
    });
  },

  async exchange(network, { code, redirectUri }, io) {
    const body = await callTokenEndpoint(io, {
      network: NETWORK,
      url: `${network.baseUrl}/v5/oauth/token`,
      headers: basicAuthHeader(network),
      // Apps created before 2025-09-25 get a refresh token that can be renewed only on request.
      fields: { grant_type: "authorization_code", code, redirect_uri: redirectUri, continuous_refresh: "true" },
    });
    return readGrant(io, NETWORK, body);
  },

  // https://developers.pinterest.com/docs/api/v5/user_account-get
  async identify(network, grant, io) {
    const reply = await sendRequest(io, {
      network: NETWORK,
      method: "GET",
      url: `${network.baseUrl}/v5/user_account`,
      bearer: grant.accessToken,
    });
    assertSuccess(reply);
    const username = pickString(reply.body, "username");
    const externalId = pickString(reply.body, "id") ?? username;
    if (!externalId || !username) throw unidentified(NETWORK);
    const displayName = pickString(reply.body, "business_name") ?? username;
    return [{ externalId, username, displayName, kind: "profile", grantorId: externalId, tokens: grant }];
  },
};
