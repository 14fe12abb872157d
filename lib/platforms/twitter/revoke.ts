// Ends the consent of an account at X. All pages read on 2026-11-24.
import { callTokenEndpoint } from "../authorization.ts";
import { basicAuthHeader } from "../oauth.ts";
import type { RevokeConsent } from "../platform.ts";
import { NETWORK } from "./errors.ts";

// https://docs.x.com/fundamentals/authentication/oauth-2-0/user-access-token, the step about revoking.
export const revoke: RevokeConsent = async (network, { accessToken, refreshToken }, io) => {
  for (const token of [refreshToken, accessToken]) {
    if (!token) continue;
    await callTokenEndpoint(io, {
      network: NETWORK,
      url: `${network.baseUrl}/2/oauth2/revoke`,
      headers: basicAuthHeader(network),
      fields: { token },
    });
  }
  return true;
};
