// Connects LinkedIn members, and the pages that they administer. All pages read on 2026-11-24.
import type { NetworkConfig } from "../../shared/platforms.ts";
import { createConnector, unidentified } from "../authorization.ts";
import { type HttpContext, pickList, pickString, sendRequest } from "../http.ts";
import { LINKEDIN_APP } from "../oauth-apps.ts";
import type { ConnectableAccount, Connector, Grant } from "../platform.ts";
import { getVersionHeaders, NETWORK } from "./api.ts";
import { assertSuccess } from "./errors.ts";

/** Each page is read by a call of its own; more than anybody chooses from. */
const MAX_ORGANIZATIONS = 20;

// https://learn.microsoft.com/en-us/linkedin/consumer/integrations/self-serve/sign-in-with-linkedin-v2
const identify: Connector["identify"] = async (network, grant, io) => {
  const user = await get(io, network, "/v2/userinfo", grant);
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
};

export const connector = createConnector(LINKEDIN_APP, identify);

// https://learn.microsoft.com/en-us/linkedin/marketing/community-management/organizations/organization-access-control-by-role
async function listOrganizations(
  network: NetworkConfig,
  grant: Grant,
  grantorId: string,
  io: HttpContext,
): Promise<ConnectableAccount[]> {
  const query = { q: "roleAssignee", role: "ADMINISTRATOR", state: "APPROVED", count: String(MAX_ORGANIZATIONS) };
  const roles = await get(io, network, "/rest/organizationAcls", grant, query);
  const urns = pickList(roles, "elements").flatMap((role) => pickString(role, "organization") ?? []);
  return Promise.all(
    urns.slice(0, MAX_ORGANIZATIONS).map(async (urn): Promise<ConnectableAccount> => {
      // https://learn.microsoft.com/en-us/linkedin/marketing/community-management/organizations/organization-lookup-api
      const page = await get(io, network, `/rest/organizations/${urn.split(":").at(-1)}`, grant);
      const displayName = pickString(page, "localizedName") ?? urn;
      const username = pickString(page, "vanityName") ?? displayName;
      return { externalId: urn, username, displayName, kind: "organization", grantorId, tokens: grant };
    }),
  );
}

async function get(io: HttpContext, network: NetworkConfig, path: string, { accessToken }: Grant, query = {}) {
  const url = network.baseUrl + path;
  const headers = getVersionHeaders(network);
  const response = await sendRequest(io, { network: NETWORK, method: "GET", url, query, bearer: accessToken, headers });
  assertSuccess(response);
  return response.body;
}
