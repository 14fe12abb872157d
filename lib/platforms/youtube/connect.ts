// Connects YouTube channels: OAuth 2 for web server applications. All pages read on 2026-11-24.
import { buildConsentUrl, callTokenEndpoint, getHost, readGrant } from "../authorization.ts";
import { pickList, pickString, sendRequest } from "../http.ts";
import type { Connector } from "../platform.ts";
import { assertSuccess } from "./errors.ts";

const NETWORK = "YouTube";

export const connector: Connector = {
  // https://developers.google.com/youtube/v3/docs/videos/insert and /docs/channels/list
  scopes: ["https://www.googleapis.com/auth/youtube.upload", "https://www.googleapis.com/auth/youtube.readonly"],
  requiredScopes: ["https://www.googleapis.com/auth/youtube.upload"],

  // https://developers.google.com/youtube/v3/guides/auth/server-side-web-apps: only `access_type=offline` gives a refresh
  // token, and without `prompt=consent` only the first consent does. PKCE:
  // https://accounts.google.com/.well-known/openid-configuration (code_challenge_methods_supported).
  authorizeUrl(network, { redirectUri, state, codeChallenge }) {
    return buildConsentUrl(network, "https://accounts.google.com/o/oauth2/v2/auth", {
      client_id: network.clientId,
      redirect_uri: redirectUri,
      response_type: "code",
      scope: (network.scopes ?? this.scopes).join(" "),
      access_type: "offline",
      prompt: "consent",
      code_challenge: codeChallenge,
      code_challenge_method: "S256",
      state,
    });
  },

  async exchange(network, { code, redirectUri, codeVerifier }, io) {
    const body = await callTokenEndpoint(io, {
      network: NETWORK,
      url: `${getHost(network, "youtube", "https://oauth2.googleapis.com")}/token`,
      fields: {
        client_id: network.clientId,
        client_secret: network.clientSecret,
        code,
        code_verifier: codeVerifier,
        grant_type: "authorization_code",
        redirect_uri: redirectUri,
      },
    });
    return readGrant(io, NETWORK, body);
  },

  // https://developers.google.com/youtube/v3/docs/channels/list
  async identify(network, grant, io) {
    const reply = await sendRequest(io, {
      network: NETWORK,
      method: "GET",
      url: `${network.baseUrl}/youtube/v3/channels`,
      query: { part: "snippet", mine: "true", maxResults: "50" },
      bearer: grant.accessToken,
    });
    assertSuccess(io, reply);
    return pickList(reply.body, "items").flatMap((channel) => {
      const externalId = pickString(channel, "id");
      if (!externalId) return [];
      const displayName = pickString(channel, "snippet", "title") ?? externalId;
      const username = pickString(channel, "snippet", "customUrl")?.replace(/^@/, "") ?? displayName;
      return [{ externalId, username, displayName, kind: "channel", grantorId: externalId, tokens: grant }];
    });
  },
};
