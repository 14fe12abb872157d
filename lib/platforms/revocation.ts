// The call that ends the consent of an account at each network (RFC 7009). Read on 2026-11-24.
import { type NetworkConfig, PLATFORM_DETAILS, type Platform } from "../shared/platforms.ts";
import { revokeSession } from "./bluesky/session.ts";
import type { ConnectIo } from "./connector.ts";
import { authenticateApp, callTokenEndpoint, getTokenHost } from "./oauth.ts";
import { LINKEDIN_APP, type OAuthApp, TIKTOK_APP, X_APP, YOUTUBE_APP } from "./oauth-apps.ts";

interface StoredTokens {
  accessToken: string;
  refreshToken: string | null;
}

type Revocation =
  | {
      app: OAuthApp;
      path: string;
      /** The values of `token`, one request each. */
      getTokens: (tokens: StoredTokens) => (string | null)[];
      clientAuth: "app" | "none";
      source: string;
    }
  /** Its owner removes the app in the settings of the account. */
  | { notOffered: string; source: string };

const REVOCATIONS: Record<Exclude<Platform, "bluesky">, Revocation> = {
  tiktok: {
    ...{ app: TIKTOK_APP, path: "/v2/oauth/revoke/", clientAuth: "app" },
    getTokens: ({ accessToken }) => [accessToken],
    source: "https://developers.tiktok.com/docs/en/oauth-revoke-a-user-access-token",
  },
  youtube: {
    // Either token ends the consent.
    ...{ app: YOUTUBE_APP, path: "/revoke", clientAuth: "none" },
    getTokens: ({ accessToken, refreshToken }) => [refreshToken ?? accessToken],
    source: "https://developers.google.com/identity/protocols/oauth2/web-server#tokenrevoke",
  },
  twitter: {
    ...{ app: X_APP, path: "/2/oauth2/revoke", clientAuth: "app" },
    getTokens: ({ accessToken, refreshToken }) => [refreshToken, accessToken],
    source: "https://docs.x.com/fundamentals/authentication/oauth-2-0/user-access-token",
  },
  linkedin: {
    ...{ app: LINKEDIN_APP, path: "/oauth/v2/revoke", clientAuth: "app" },
    getTokens: ({ accessToken }) => [accessToken],
    source: "LinkedIn documents no such call; this is the one that many published integrations use.",
  },
  facebook: {
    notOffered: "DELETE /{user-id}/permissions takes the person's token, which is not kept, and ends all their pages.",
    source: "https://developers.facebook.com/docs/facebook-login/guides/permissions/request-revoke",
  },
  instagram: {
    notOffered: "No call is documented.",
    source: "https://developers.facebook.com/docs/instagram-platform/instagram-api-with-instagram-login/business-login",
  },
  threads: {
    notOffered: "No call is documented.",
    source: "https://developers.facebook.com/documentation/threads/get-started/get-access-tokens-and-permissions",
  },
  pinterest: {
    notOffered: "No call is documented.",
    source: "https://developers.pinterest.com/docs/getting-started/set-up-authentication-and-authorization/",
  },
};

/** Ends the whole consent at the network; false when there is none that a call can end. */
export async function revokeConsent(
  platform: Platform,
  network: NetworkConfig,
  tokens: StoredTokens,
  io: ConnectIo,
): Promise<boolean> {
  // The account's own server has the endpoint.
  if (platform === "bluesky") return revokeSession(network, tokens, io);
  const revocation = REVOCATIONS[platform];
  if ("notOffered" in revocation) return false;
  const { app, path, getTokens, clientAuth } = revocation;
  const { headers, fields } = clientAuth === "app" ? authenticateApp(network, app) : { headers: {}, fields: {} };
  for (const token of getTokens(tokens)) {
    if (!token) continue;
    const { name } = PLATFORM_DETAILS[platform];
    const url = getTokenHost(network, app) + path;
    await callTokenEndpoint(io, { network: name, url, headers, fields: { ...fields, token } });
  }
  return true;
}
