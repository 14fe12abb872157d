// Ends the consent of an account at LinkedIn. All pages read on 2026-11-24.
import { callTokenEndpoint, getHost } from "../authorization.ts";
import type { RevokeConsent } from "../platform.ts";
import { NETWORK } from "./api.ts";

// Not in LinkedIn's documentation; the endpoint and its fields are those that many published integrations use.
export const revoke: RevokeConsent = async (network, { accessToken }, io) => {
  await callTokenEndpoint(io, {
    network: NETWORK,
    url: `${getHost(network, "linkedin", "https://www.linkedin.com")}/oauth/v2/revoke`,
    fields: { token: accessToken, client_id: network.clientId, client_secret: network.clientSecret },
  });
  return true;
};
