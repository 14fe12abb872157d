// Connects TikTok accounts: Login Kit for Web. All pages read on 2026-11-24.
import { buildConsentUrl, callTokenEndpoint, readGrant, unidentified } from "../authorization.ts";
import { pick, pickString, sendRequest } from "../http.ts";
import type { Connector } from "../platform.ts";
import { assertSuccess } from "./errors.ts";

const NETWORK = "TikTok";

export const connector: Connector = {
  // https://developers.tiktok.com/doc/tiktok-api-scopes; people may agree to a subset of them.
  scopes: ["user.info.basic", "video.publish", "video.upload", "video.list"],
  requiredScopes: ["video.publish"],

  // https://developers.tiktok.com/doc/login-kit-web: `client_key`, scopes separated by commas; PKCE is for apps on devices.
  authorizeUrl(network, { redirectUri, state }) {
    return buildConsentUrl(network, "https://www.tiktok.com/v2/auth/authorize/", {
      client_key: network.clientId,
      response_type: "code",
      scope: (network.scopes ?? this.scopes).join(","),
      redirect_uri: redirectUri,
      state,
    });
  },

  // https://developers.tiktok.com/docs/en/oauth-user-access-token-management
  async exchange(network, { code, redirectUri }, io) {
    const body = await callTokenEndpoint(io, {
      network: NETWORK,
      url: `${network.baseUrl}/v2/oauth/token/`,
      fields: {
        client_key: network.clientId,
        client_secret: network.clientSecret,
        code,
        grant_type: "authorization_code",
        redirect_uri: redirectUri,
      },
    });
    return { ...readGrant(io, NETWORK, body), subject: pickString(body, "open_id") };
  },

  async identify(network, grant, io) {
    const { accessToken, subject } = grant;
    // https://developers.tiktok.com/doc/tiktok-api-v2-get-user-info: these fields need user.info.basic only.
    const info = await sendRequest(io, {
      network: NETWORK,
      method: "GET",
      url: `${network.baseUrl}/v2/user/info/`,
      query: { fields: "open_id,display_name" },
      bearer: accessToken,
    });
    assertSuccess(io, info);
    const user = pick(info.body, "data", "user");
    const externalId = subject ?? pickString(user, "open_id");
    if (!externalId) throw unidentified(NETWORK);
    const displayName = pickString(user, "display_name") ?? externalId;
    // https://developers.tiktok.com/doc/content-posting-api-reference-query-creator-info: names the account without
    // the scope user.info.profile. It fails for an account that may not post now, which is no reason not to connect it.
    const creator = await sendRequest(io, {
      network: NETWORK,
      method: "POST",
      url: `${network.baseUrl}/v2/post/publish/creator_info/query/`,
      bearer: accessToken,
      json: {},
    }).catch(() => null);
    const username = pickString(creator?.body, "data", "creator_username") ?? displayName;
    return [{ externalId, username, displayName, kind: "profile", grantorId: externalId, tokens: grant }];
  },
};
