// Connects LinkedIn members, and the pages that they administer.
import { type ApiContext, asGrantor } from "../api.ts";
import { createConnector, unidentified } from "../authorization.ts";
import { pickList, pickString } from "../http.ts";
import { LINKEDIN_APP } from "../oauth-apps.ts";
import type { ConnectableAccount, Connector, Grant } from "../platform.ts";
import { NETWORK, request } from "./api.ts";

/** Each page is read by a call of its own; more than anybody chooses from. */
const MAX_ORGANIZATIONS = 20;

const identify: Connector["identify"] = async (network, grant, io) => {
  const context = asGrantor(io, network, grant);
  const { body: user } = await request(context, "GET", "v2/userinfo");
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
    ...(grant.scopes.includes("w_organization_social") ? await listOrganizations(context, grant, grantorId) : []),
  ];
};

export const connector = createConnector(LINKEDIN_APP, identify);

async function listOrganizations(context: ApiContext, grant: Grant, grantorId: string): Promise<ConnectableAccount[]> {
  const query = { q: "roleAssignee", role: "ADMINISTRATOR", state: "APPROVED", count: String(MAX_ORGANIZATIONS) };
  const { body: roles } = await request(context, "GET", "rest/organizationAcls", { query });
  const urns = pickList(roles, "elements").flatMap((role) => pickString(role, "organization") ?? []);
  return Promise.all(
    urns.slice(0, MAX_ORGANIZATIONS).map(async (urn): Promise<ConnectableAccount> => {
      const { body: page } = await request(context, "GET", `rest/organizations/${urn.split(":").at(-1)}`);
      const displayName = pickString(page, "localizedName") ?? urn;
      const username = pickString(page, "vanityName") ?? displayName;
      return { externalId: urn, username, displayName, kind: "organization", grantorId, tokens: grant };
    }),
  );
}
