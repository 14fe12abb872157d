// The consents of Meta's networks: Instagram, Threads and Facebook.
import { createTraceId } from "../../../../lib/simulator/networks/context.ts";
import type { NetworkAccount, NetworkRequest, NetworkResponse } from "../../../../lib/simulator/networks/network.ts";
import {
  type ConsentEndpoint,
  type ConsentRules,
  first,
  HOUR,
  isCode,
  nameOf,
  ok,
  screen,
  titleOf,
} from "./consent-rules.ts";

const graphError = (error: string): NetworkResponse => ({
  status: 400,
  body: {
    error: {
      message:
        error === "invalid_client" ? "Error validating client secret." : "This authorization code has been used.",
      type: error === "invalid_client" ? "invalid_client" : "OAuthException",
      code: 100,
      fbtrace_id: createTraceId("A"),
    },
  },
});

/** The parts of Meta's consents that Instagram and Threads share. */
function metaEndpoints(
  me: RegExp,
  exchangeGrant: string,
  toMe: (account: NetworkAccount) => object,
): ConsentEndpoint[] {
  return [
    {
      ...{
        method: "GET",
        path: /^\/access_token$/,
        call: "oauth/long_lived",
        kind: "granted",
        tokenField: "access_token",
      },
      when: (fields) => fields.grant_type === exchangeGrant,
      respond: ({ accessToken }) => ok({ access_token: accessToken, token_type: "bearer", expires_in: 60 * 24 * HOUR }),
    },
    {
      ...{ method: "GET", path: me, call: "me", kind: "granted" },
      respond: (granted) => ok(toMe(first(granted))),
    },
  ];
}

export const instagram: ConsentRules = {
  screenPath: "/oauth/authorize",
  screen: screen(
    [
      ...["instagram_business_basic", "instagram_business_content_publish"],
      ...["instagram_business_manage_insights", "instagram_business_manage_comments"],
    ],
    { separator: "," },
  ),
  app: ["client_id", "client_secret"],
  toError: (error) => ({ status: 400, body: { error_type: "OAuthException", code: 400, error_message: error } }),
  endpoints: [
    {
      ...{ method: "POST", path: /^\/oauth\/access_token$/, call: "oauth/code", kind: "code", when: isCode },
      respond: (granted) => {
        const { accessToken, consent } = granted;
        const permissions = consent.scopes.join(",");
        return ok({ data: [{ access_token: accessToken, user_id: first(granted).externalId, permissions }] });
      },
    },
    ...metaEndpoints(/^\/v\d+\.\d+\/me$/, "ig_exchange_token", (account) => ({
      user_id: account.externalId,
      username: nameOf(account),
      name: titleOf(account),
      id: `9${account.externalId}`,
    })),
  ],
};

export const threads: ConsentRules = {
  screenPath: "/oauth/authorize",
  screen: screen(
    [
      ...["threads_basic", "threads_content_publish", "threads_delete"],
      ...["threads_read_replies", "threads_manage_insights"],
    ],
    { separator: "," },
  ),
  app: ["client_id", "client_secret"],
  toError: graphError,
  endpoints: [
    {
      ...{ method: "POST", path: /^\/oauth\/access_token$/, call: "oauth/code", kind: "code", when: isCode },
      respond: (granted) => ok({ access_token: granted.accessToken, user_id: first(granted).externalId }),
    },
    ...metaEndpoints(/^\/v1\.0\/me$/, "th_exchange_token", (account) => ({
      id: account.externalId,
      username: nameOf(account),
      name: titleOf(account),
    })),
  ],
};

const TASKS = ["ANALYZE", "CREATE_CONTENT", "MANAGE"];

const metaError = (code: number, message: string): NetworkResponse => ({
  status: 403,
  body: { error: { message, type: "OAuthException", code, fbtrace_id: createTraceId("A") } },
});

/** `noToken`: the person may see the page, and not act for it. */
const describePage = (page: NetworkAccount) => ({
  ...{ id: page.externalId, name: titleOf(page), username: nameOf(page) },
  ...(page.facts?.noToken === true ? {} : { access_token: page.accessToken }),
});

/** Lists have two entries a page here, so that connectors meet a second page. */
const LIST_SIZE = 2;

function toPageOfList({ query, baseUrl, path }: NetworkRequest, all: readonly object[]): NetworkResponse {
  const start = Number(query.get("after") ?? 0);
  const end = start + LIST_SIZE;
  const next = end < all.length ? { next: `${baseUrl}${path}?after=${end}` } : {};
  return ok({
    data: all.slice(start, end),
    paging: { cursors: { before: String(start), after: String(end) }, ...next },
  });
}

export const facebook: ConsentRules = {
  screenPath: "/v24.0/dialog/oauth",
  screen: screen(
    [
      ...["pages_show_list", "pages_read_engagement", "pages_manage_posts", "business_management", "publish_video"],
      ...["pages_manage_engagement", "pages_read_user_content", "read_insights"],
    ],
    { separator: ",", several: true },
  ),
  app: ["client_id", "client_secret"],
  toError: graphError,
  endpoints: [
    {
      ...{ method: "GET", path: /^\/v\d+\.\d+\/oauth\/access_token$/, call: "oauth/code", kind: "code" },
      when: (fields) => fields.code !== undefined,
      respond: ({ accessToken }) => ok({ access_token: accessToken, token_type: "bearer", expires_in: 2 * HOUR }),
    },
    {
      ...{ method: "GET", path: /^\/v\d+\.\d+\/oauth\/access_token$/, call: "oauth/long_lived", kind: "granted" },
      tokenField: "fb_exchange_token",
      when: (fields) => /^user-/.test(fields.fb_exchange_token ?? ""),
      respond: ({ accessToken }) => ok({ access_token: accessToken, token_type: "bearer", expires_in: 60 * 24 * HOUR }),
    },
    {
      ...{ method: "GET", path: /^\/v\d+\.\d+\/me$/, call: "me", kind: "granted" },
      respond: (granted) => ok({ id: `77${first(granted).externalId}` }),
    },
    {
      ...{ method: "GET", path: /^\/v\d+\.\d+\/me\/permissions$/, call: "me/permissions", kind: "granted" },
      respond: ({ consent }) =>
        ok({
          data: [
            ...consent.scopes.map((permission) => ({ permission, status: "granted" })),
            ...consent.declined.map((permission) => ({ permission, status: "declined" })),
          ],
        }),
    },
    {
      ...{ method: "GET", path: /^\/v\d+\.\d+\/me\/accounts$/, call: "me/accounts", kind: "granted" },
      respond: ({ consent }, request) =>
        toPageOfList(
          request,
          consent.accounts
            // `business`: the person has no role on the page itself.
            .filter(({ facts }) => facts?.business === undefined || facts.alsoOwn === true)
            .map((page) => ({ ...describePage(page), tasks: page.facts?.tasks ?? TASKS })),
        ),
    },
    {
      ...{ method: "GET", path: /^\/v\d+\.\d+\/me\/businesses$/, call: "me/businesses", kind: "granted" },
      respond: ({ consent }, request) => {
        const ids = new Set(consent.accounts.flatMap(({ facts }) => (facts?.business ? [String(facts.business)] : [])));
        return toPageOfList(
          request,
          [...ids].map((id) => ({ id })),
        );
      },
    },
    {
      ...{ method: "GET", path: /^\/v\d+\.\d+\/\d+\/(owned|client)_pages$/, call: "business/pages", kind: "granted" },
      respond: ({ consent }, request) => {
        const [, , id, edge] = request.path.split("/");
        const pages = consent.accounts.filter(({ facts }) => String(facts?.business) === id);
        if (pages.some(({ facts }) => facts?.brokenBusiness === true))
          return metaError(200, "(#200) Requires business_management permission to manage the object.");
        const isClient = edge === "client_pages";
        const found = pages.filter(({ facts }) => facts?.bothEdges === true || (facts?.isClient === true) === isClient);
        return toPageOfList(request, found.map(describePage));
      },
    },
  ],
};
