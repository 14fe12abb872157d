// Ends the consent of an account at TikTok. All pages read on 2026-11-24.
import { callTokenEndpoint } from "../authorization.ts";
import type { RevokeConsent } from "../platform.ts";

// https://developers.tiktok.com/docs/en/oauth-revoke-a-user-access-token: takes the access token and ends the consent.
export const revoke: RevokeConsent = async (network, { accessToken }, io) => {
  await callTokenEndpoint(io, {
    network: "TikTok",
    url: `${network.baseUrl}/v2/oauth/revoke/`,
    fields: { client_key: network.clientId, client_secret: network.clientSecret, token: accessToken },
  });
  return true;
};
