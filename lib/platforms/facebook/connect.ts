// Connects Facebook pages: Facebook Login, then a token for each page.
import { asGrantor } from "../api.ts";
import { describeConsent, unidentified } from "../authorization.ts";
import { pickList, pickString } from "../http.ts";
import { callTokenEndpoint, readGrant } from "../oauth.ts";
import { FACEBOOK_CONSENT } from "../oauth-apps.ts";
import type { ConnectableAccount, Connector } from "../platform.ts";
import { NETWORK, requestGraph } from "./graph.ts";
import { FACEBOOK } from "./rules.ts";

/** More pages than anybody administers; a page of the list holds 100. */
const MAX_LIST_PAGES = 5;

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
    const pages: ConnectableAccount[] = [];
    let after: string | undefined;
    for (let page = 0; page < MAX_LIST_PAGES; page++) {
      const fields = "id,name,username,access_token,tasks";
      const { body } = await requestGraph(context, "GET", "me/accounts", { query: { fields, limit: "100", after } });
      pages.push(...pickList(body, "data").flatMap((one) => toPage(one, grantorId)));
      after = pickString(body, "paging", "next")
        ? (pickString(body, "paging", "cursors", "after") ?? undefined)
        : undefined;
      if (!after) break;
    }
    return pages;
  },
};

/** Pages on which the person may not publish are left out. */
function toPage(page: unknown, grantorId: string): ConnectableAccount[] {
  const externalId = pickString(page, "id");
  const accessToken = pickString(page, "access_token");
  if (!externalId || !accessToken || !pickList(page, "tasks").includes("CREATE_CONTENT")) return [];
  const displayName = pickString(page, "name") ?? externalId;
  const username = pickString(page, "username") ?? displayName;
  const tokens = { accessToken, refreshToken: null, expiresAt: null };
  return [{ externalId, username, displayName, kind: "page", grantorId, tokens }];
}
