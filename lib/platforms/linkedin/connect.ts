// Connects LinkedIn members, and the pages that they may post as.

import { toResult } from "../../shared/result.ts";
import { type ApiContext, asGrantor } from "../api.ts";
import { createConnector, unidentified } from "../authorization.ts";
import type { ConnectableAccount, Connector, Grant } from "../connector.ts";
import { pickList, pickString } from "../http.ts";
import { keepFulfilled } from "../keep-fulfilled.ts";
import { LINKEDIN_APP } from "../oauth-apps.ts";
import { NETWORK, request, requestRaw } from "./api.ts";

/** Each page is read by a call of its own; more than anybody chooses from. */
const MAX_ORGANIZATIONS = 20;

/**
 * Both may post as the page. The roles are asked for one by one, because a member may not read the role that they lack.
 * https://learn.microsoft.com/en-us/linkedin/marketing/community-management/organizations/organization-access-control-by-role
 * and https://github.com/gitroomhq/postiz-app/pull/1808, read 2026-11-28.
 */
const POSTING_ROLES = ["ADMINISTRATOR", "CONTENT_ADMINISTRATOR"] as const;

const identify: Connector["identify"] = async (network, grant, io) => {
  const context = asGrantor(io, network, grant);
  const { id, displayName } = await fetchMember(context, grant);
  const grantorId = `urn:li:person:${id}`;
  const member: ConnectableAccount = {
    ...{ externalId: grantorId, username: displayName, displayName },
    ...{ kind: "profile", grantorId, tokens: grant, scopes: grant.scopes.filter((scope) => !isOfPages(scope)) },
  };
  const mayPostAs = (scope: string) => grant.scopes.length === 0 || grant.scopes.includes(scope);
  return [
    ...(mayPostAs("w_member_social") ? [member] : []),
    ...(grant.scopes.includes("w_organization_social") ? await listOrganizations(context, grant, grantorId) : []),
  ];
};

/** Of one consent a member and their pages have different permissions. */
const isOfPages = (scope: string) => /organization/.test(scope);

export const connector = createConnector(LINKEDIN_APP, identify);

/**
 * An app with the Community Management API has `r_basicprofile` in place of `openid`, and so another endpoint.
 * https://learn.microsoft.com/en-us/linkedin/shared/integrations/people/profile-api, read 2026-11-28.
 */
async function fetchMember(context: ApiContext, { scopes }: Grant): Promise<{ id: string; displayName: string }> {
  const hasOpenId = scopes.length === 0 || scopes.includes("openid");
  const { body } = await request(context, "GET", hasOpenId ? "v2/userinfo" : "v2/me");
  const id = pickString(body, hasOpenId ? "sub" : "id");
  if (!id) throw unidentified(NETWORK);
  const names = [pickString(body, "localizedFirstName"), pickString(body, "localizedLastName")];
  const name = hasOpenId ? pickString(body, "name") : names.filter(Boolean).join(" ");
  return { id, displayName: name || id };
}

async function listOrganizations(context: ApiContext, grant: Grant, grantorId: string): Promise<ConnectableAccount[]> {
  const roles = await keepFulfilled(POSTING_ROLES.map((role) => listUrns(context, role)));
  const urns = [...new Set(roles.flat())].slice(0, MAX_ORGANIZATIONS);
  const pages = await Promise.all(
    urns.map(async (urn): Promise<ConnectableAccount[]> => {
      const names = await fetchPageNames(context, urn);
      const scopes = grant.scopes.filter(isOfPages);
      return names ? [{ externalId: urn, ...names, kind: "organization", grantorId, tokens: grant, scopes }] : [];
    }),
  );
  return pages.flat();
}

async function listUrns(context: ApiContext, role: string): Promise<string[]> {
  const query = { q: "roleAssignee", role, state: "APPROVED", count: String(MAX_ORGANIZATIONS) };
  const { body } = await request(context, "GET", "rest/organizationAcls", { query });
  return pickList(body, "elements").flatMap((element) => pickString(element, "organization") ?? []);
}

/** Null for a page that no longer exists. One that cannot be read can be posted to all the same, and is named by its id. */
async function fetchPageNames(context: ApiContext, urn: string) {
  const id = urn.split(":").at(-1);
  const response = await toResult(requestRaw(context, "GET", `rest/organizations/${id}`));
  if (response.ok && response.value.status === 404) return null;
  const page = response.ok && response.value.status < 300 ? response.value.body : {};
  const displayName = pickString(page, "localizedName") ?? `Page ${id}`;
  return { displayName, username: pickString(page, "vanityName") ?? displayName };
}
