// Which of the two apps at LinkedIn is meant: the one for members, or the one for pages where it is another one.
import type { NetworkConfig } from "../../shared/platforms.ts";
import { LINKEDIN_PAGES_SCOPES, selectScopes } from "../oauth-apps.ts";

/** Returns the config with the credentials and scopes of the app for pages, or unchanged when no such app is set up. */
export function selectPagesApp(network: NetworkConfig): NetworkConfig {
  const { pages } = network;
  return pages ? { ...network, ...pages, scopes: selectScopes(pages.scopes, LINKEDIN_PAGES_SCOPES) } : network;
}

/** Returns the config with the app that issued the account's token: LinkedIn accepts a refresh or revocation by no other. */
export function selectIssuingApp(network: NetworkConfig, externalId: string): NetworkConfig {
  const isPage = /^\d+$|^urn:li:organization:/.test(externalId);
  return isPage || network.clientId === "" ? selectPagesApp(network) : network;
}
