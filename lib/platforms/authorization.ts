// Connects accounts by OAuth 2's authorization code (RFC 6749, section 4.1), as `oauth-apps.ts` describes each network.
import { type NetworkConfig, PLATFORM_DETAILS } from "../shared/platforms.ts";
import type { Connector, ConsentRequest } from "./connector.ts";
import { pickString } from "./http.ts";
import { authenticateApp, callTokenEndpoint, getTokenHost, readGrant } from "./oauth.ts";
import { type ConsentScreen, type OAuthApp, selectScopes } from "./oauth-apps.ts";
import { failure } from "./platform.ts";

/** The part of a connector that builds the URL of the consent screen. */
export function describeConsent(screen: ConsentScreen): Pick<Connector, "scopes" | "requiredScopes" | "authorizeUrl"> {
  const { scopes, requiredScopes } = screen;
  return { scopes, requiredScopes, authorizeUrl: (network, request) => buildConsentUrl(screen, network, request) };
}

function buildConsentUrl(
  { consentUrl, clientIdField, consentFields, scopes, scopeSeparator, usesPkce }: ConsentScreen,
  network: NetworkConfig,
  { redirectUri, state, codeChallenge }: ConsentRequest,
): string {
  const documented = new URL(consentUrl);
  // A consent screen stays at the network when only its API is replaced, such as by a sandbox.
  const url = network.consentUrl ? new URL(`${network.consentUrl}${documented.pathname}`) : documented;
  const query = {
    [clientIdField]: network.clientId,
    ...{ redirect_uri: redirectUri, response_type: "code", state },
    ...(network.configId
      ? { config_id: network.configId }
      : { scope: selectScopes(network.scopes, scopes).join(scopeSeparator) }),
    ...consentFields,
    ...(usesPkce ? { code_challenge: codeChallenge, code_challenge_method: "S256" } : {}),
  };
  for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value);
  return url.href;
}

/** A connector whose grants `identify` turns into accounts. `subjectField`: the account's id in the token response. */
export function createConnector(app: OAuthApp, identify: Connector["identify"], subjectField?: string): Connector {
  return {
    ...describeConsent(app),
    async exchange(network, { code, redirectUri, codeVerifier }, io) {
      const { headers, fields } = authenticateApp(network, app);
      const { name } = PLATFORM_DETAILS[app.platform];
      const body = await callTokenEndpoint(io, {
        ...{ network: name, url: getTokenHost(network, app) + app.tokenPath, headers },
        fields: {
          ...{ ...fields, grant_type: "authorization_code", code, redirect_uri: redirectUri },
          ...(app.usesPkce ? { code_verifier: codeVerifier } : {}),
          ...app.exchangeFields,
        },
      });
      return { ...readGrant(io, name, body), subject: subjectField ? pickString(body, subjectField) : null };
    },
    identify,
  };
}

/** The account could not be read with the new token: start again. */
export function unidentified(network: string) {
  const message = `${network} did not report which account was connected. Start the connection again.`;
  return failure({ class: "account", code: "account_unidentified", message });
}
