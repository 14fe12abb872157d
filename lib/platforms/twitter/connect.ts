// Connects X accounts: OAuth 2 with PKCE as a confidential client. All pages read on 2026-11-24.
import { buildConsentUrl, callTokenEndpoint, readGrant, unidentified } from "../authorization.ts";
import { pickString, sendRequest } from "../http.ts";
import { basicAuthHeader } from "../oauth.ts";
import type { Connector } from "../platform.ts";
import { assertSuccess, NETWORK } from "./errors.ts";

export const connector: Connector = {
  // https://docs.x.com/fundamentals/authentication/oauth-2-0/authorization-code: no refresh token without offline.access.
  scopes: ["tweet.read", "tweet.write", "users.read", "media.write", "offline.access"],
  requiredScopes: ["tweet.write"],

  // https://docs.x.com/fundamentals/authentication/oauth-2-0/user-access-token
  authorizeUrl(network, { redirectUri, state, codeChallenge }) {
    return buildConsentUrl(network, "https://x.com/i/oauth2/authorize", {
      response_type: "code",
      client_id: network.clientId,
      redirect_uri: redirectUri,
      scope: (network.scopes ?? this.scopes).join(" "),
      state,
      code_challenge: codeChallenge,
      code_challenge_method: "S256",
    });
  },

  async exchange(network, { code, redirectUri, codeVerifier }, io) {
    const body = await callTokenEndpoint(io, {
      network: NETWORK,
      url: `${network.baseUrl}/2/oauth2/token`,
      headers: basicAuthHeader(network),
      fields: { grant_type: "authorization_code", code, redirect_uri: redirectUri, code_verifier: codeVerifier },
    });
    return readGrant(io, NETWORK, body);
  },

  // https://docs.x.com/x-api/users/get-my-user
  async identify(network, grant, io) {
    const reply = await sendRequest(io, {
      network: NETWORK,
      method: "GET",
      url: `${network.baseUrl}/2/users/me`,
      bearer: grant.accessToken,
    });
    assertSuccess(io, reply);
    const externalId = pickString(reply.body, "data", "id");
    const username = pickString(reply.body, "data", "username");
    if (!externalId || !username) throw unidentified(NETWORK);
    const displayName = pickString(reply.body, "data", "name") ?? username;
    return [{ externalId, username, displayName, kind: "profile", grantorId: externalId, tokens: grant }];
  },
};
