// Ends the consent of an account at YouTube. All pages read on 2026-11-24.
import { callTokenEndpoint, getHost } from "../authorization.ts";
import type { RevokeConsent } from "../platform.ts";

// https://developers.google.com/identity/protocols/oauth2/web-server#tokenrevoke: either token ends the consent.
export const revoke: RevokeConsent = async (network, { accessToken, refreshToken }, io) => {
  await callTokenEndpoint(io, {
    network: "YouTube",
    url: `${getHost(network, "youtube", "https://oauth2.googleapis.com")}/revoke`,
    fields: { token: refreshToken ?? accessToken },
  });
  return true;
};
