// Connects Facebook pages, also those of a Business Portfolio: Facebook Login, then a token for each page.
import { type ApiContext, asGrantor } from "../api.ts";
import { describeConsent, unidentified } from "../authorization.ts";
import type { ConnectableAccount, Connector } from "../connector.ts";
import { isObject, pickList, pickString } from "../http.ts";
import { keepFulfilled } from "../keep-fulfilled.ts";
import { callTokenEndpoint, readGrant } from "../oauth.ts";
import { FACEBOOK_CONSENT } from "../oauth-apps.ts";
import { NETWORK, requestGraph } from "./graph.ts";
import { FACEBOOK } from "./rules.ts";

/** More pages than anybody administers; a page of a list holds 100. */
const MAX_LIST_PAGES = 5;
/** Each has two lists of pages. */
const MAX_BUSINESSES = 20;

export const connector: Connector = {
  ...describeConsent(FACEBOOK_CONSENT),

  async exchange(network, { code, redirectUri }, io) {
    const url = `${network.baseUrl}/${FACEBOOK.version}/oauth/access_token`;
    const client = { client_id: network.clientId, client_secret: network.clientSecret };
    const short = await callTokenEndpoint(io, {
      network: NETWORK,
      method: "GET",
      url,
      fields: { ...client, redirect_uri: redirectUri, code },
    });
    // Tokens of pages that are read with a long-lived token have no end.
    const long = await callTokenEndpoint(io, {
      network: NETWORK,
      method: "GET",
      url,
      fields: {
        ...client,
        grant_type: "fb_exchange_token",
        fb_exchange_token: pickString(short, "access_token") ?? "",
      },
    });
    return readGrant(io, NETWORK, long);
  },

  async identify(network, grant, io) {
    const context = asGrantor(io, network, grant);
    const me = await requestGraph(context, "GET", "me", { query: { fields: "id" } });
    const grantorId = pickString(me.body, "id");
    if (!grantorId) throw unidentified(NETWORK);
    const own = listNodes(context, "me/accounts", "id,name,username,access_token,tasks");
    const lists = keepFulfilled([own, listBusinessPages(context)]);
    const [nodes, scopes] = await Promise.all([lists, listGrantedScopes(context)]);
    return selectPages(nodes.flat(), grantorId).map((page) => ({ ...page, scopes }));
  },
};

/**
 * https://developers.facebook.com/docs/graph-api/reference/user/permissions/, read 2026-11-28: the answer that brings a token
 * does not name what it permits. Empty when Facebook does not tell.
 */
async function listGrantedScopes(context: ApiContext): Promise<string[]> {
  try {
    const { body } = await requestGraph(context, "GET", "me/permissions");
    const granted = pickList(body, "data").filter((one) => pickString(one, "status") === "granted");
    return granted.flatMap((one) => pickString(one, "permission") ?? []);
  } catch {
    return [];
  }
}

/**
 * Pages that the person reaches only through a Business Portfolio, which owns them or works for their owner.
 * https://developers.facebook.com/documentation/ads-commerce/marketing-api/reference/business/owned_pages and, of what
 * me/accounts leaves out, https://github.com/trypostit/trypost/pull/301, read 2026-11-28.
 */
async function listBusinessPages(context: ApiContext): Promise<unknown[]> {
  const businesses = (await listNodes(context, "me/businesses", "id")).slice(0, MAX_BUSINESSES);
  const ids = businesses.flatMap((business) => pickString(business, "id") ?? []);
  const lists = ids.flatMap((id) => [`${id}/owned_pages`, `${id}/client_pages`]);
  const pages = await keepFulfilled(lists.map((path) => listNodes(context, path, "id,name,username,access_token")));
  return pages.flat();
}

async function listNodes(context: ApiContext, path: string, fields: string): Promise<unknown[]> {
  const nodes: unknown[] = [];
  let after: string | undefined;
  for (let page = 0; page < MAX_LIST_PAGES; page++) {
    const { body } = await requestGraph(context, "GET", path, { query: { fields, limit: "100", after } });
    nodes.push(...pickList(body, "data"));
    after = pickString(body, "paging", "next")
      ? (pickString(body, "paging", "cursors", "after") ?? undefined)
      : undefined;
    if (!after) break;
  }
  return nodes;
}

/** Each page once. Left out are pages whose token the person does not get, and those on which they may not publish. */
function selectPages(nodes: readonly unknown[], grantorId: string): ConnectableAccount[] {
  const pages = new Map<string, ConnectableAccount>();
  const forbidden = new Set<string>();
  for (const node of nodes) {
    const externalId = pickString(node, "id");
    const accessToken = pickString(node, "access_token");
    if (!externalId) continue;
    // Only the person's own list has the tasks.
    const mayPublish = isObject(node) && "tasks" in node ? pickList(node, "tasks").includes("CREATE_CONTENT") : true;
    if (!mayPublish) forbidden.add(externalId);
    if (!accessToken || pages.has(externalId) || forbidden.has(externalId)) continue;
    const displayName = pickString(node, "name") ?? externalId;
    const username = pickString(node, "username") ?? displayName;
    const tokens = { accessToken, refreshToken: null, expiresAt: null };
    pages.set(externalId, { externalId, username, displayName, kind: "page", grantorId, tokens });
  }
  return [...pages.values()];
}
