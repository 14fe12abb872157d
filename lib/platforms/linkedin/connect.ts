// Connects LinkedIn members, and the pages that they administer. All pages read on 2026-11-24.
import type { NetworkConfig } from "../../shared/platforms.ts";
import { buildConsentUrl, callTokenEndpoint, readGrant, unidentified } from "../authorization.ts";
import { type HttpContext, pickList, pickString, sendRequest } from "../http.ts";
import type { ConnectableAccount, Connector, Grant } from "../platform.ts";
import { getTokenUrl, NETWORK } from "./api.ts";
import { assertSuccess } from "./errors.ts";
import { LINKEDIN } from "./rules.ts";

/** Each page is read by a call of its own; more than anybody chooses from. */
const MAX_ORGANIZATIONS = 20;

export const connector: Connector = {
  // Self-service: https://learn.microsoft.com/en-us/linkedin/shared/authentication/getting-access. Pages need the
  // Community Management API and LINKEDIN_SCOPES, because LinkedIn rejects scopes that the app does not have.
  scopes: ["openid", "profile", "w_member_social"],
  requiredScopes: [],

  // https://learn.microsoft.com/en-us/linkedin/shared/authentication/authorization-code-flow: no PKCE for web apps.
  authorizeUrl(network, { redirectUri, state }) {
    return buildConsentUrl(network, "https://www.linkedin.com/oauth/v2/authorization", {
      response_type: "code",
      client_id: network.clientId,
      redirect_uri: redirectUri,
      scope: (network.scopes ?? this.scopes).join(" "),
      state,
    });
  },

  async exchange(network, { code, redirectUri }, io) {
    const body = await callTokenEndpoint(io, {
      network: NETWORK,
      url: getTokenUrl(network.baseUrl),
      fields: {
        grant_type: "authorization_code",
        code,
        client_id: network.clientId,
        client_secret: network.clientSecret,
        redirect_uri: redirectUri,
      },
    });
    return readGrant(io, NETWORK, body);
  },

  // https://learn.microsoft.com/en-us/linkedin/consumer/integrations/self-serve/sign-in-with-linkedin-v2
  async identify(network, grant, io) {
    const user = await get(io, `${network.baseUrl}/v2/userinfo`, grant, {});
    const subject = pickString(user, "sub");
    if (!subject) throw unidentified(NETWORK);
    const displayName = pickString(user, "name") ?? subject;
    const grantorId = `urn:li:person:${subject}`;
    const member: ConnectableAccount = {
      ...{ externalId: grantorId, username: displayName, displayName },
      ...{ kind: "profile", grantorId, tokens: grant },
    };
    const mayPostAs = (scope: string) => grant.scopes.length === 0 || grant.scopes.includes(scope);
    return [
      ...(mayPostAs("w_member_social") ? [member] : []),
      ...(grant.scopes.includes("w_organization_social") ? await listOrganizations(network, grant, grantorId, io) : []),
    ];
  },
};

// https://learn.microsoft.com/en-us/linkedin/marketing/community-management/organizations/organization-access-control-by-role
async function listOrganizations(
  network: NetworkConfig,
  grant: Grant,
  grantorId: string,
  io: HttpContext,
): Promise<ConnectableAccount[]> {
  const query = { q: "roleAssignee", role: "ADMINISTRATOR", state: "APPROVED", count: String(MAX_ORGANIZATIONS) };
  const roles = await get(io, `${network.baseUrl}/rest/organizationAcls`, grant, query);
  const urns = pickList(roles, "elements").flatMap((role) => pickString(role, "organization") ?? []);
  return Promise.all(
    urns.slice(0, MAX_ORGANIZATIONS).map(async (urn): Promise<ConnectableAccount> => {
      // https://learn.microsoft.com/en-us/linkedin/marketing/community-management/organizations/organization-lookup-api
      const page = await get(io, `${network.baseUrl}/rest/organizations/${urn.split(":").at(-1)}`, grant, {});
      const displayName = pickString(page, "localizedName") ?? urn;
      const username = pickString(page, "vanityName") ?? displayName;
      return { externalId: urn, username, displayName, kind: "organization", grantorId, tokens: grant };
    }),
  );
}

async function get(io: HttpContext, url: string, { accessToken }: Grant, query: Record<string, string>) {
  const headers = { "linkedin-version": LINKEDIN.version, "x-restli-protocol-version": "2.0.0" };
  const reply = await sendRequest(io, { network: NETWORK, method: "GET", url, query, bearer: accessToken, headers });
  assertSuccess(reply);
  return reply.body;
}
