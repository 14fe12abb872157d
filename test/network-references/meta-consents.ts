// Consents of Meta's networks: Instagram, Threads and Facebook.
import { BEARER, CLIENT, CODE, form, issued, toReference, toScreen } from "./consent-parts.ts";
import { boolean, integer, list, literal, type Operation, object, string } from "./reference.ts";

const META = "https://developers.facebook.com";
const INSTAGRAM_LOGIN = `${META}/docs/instagram-platform/instagram-api-with-instagram-login/business-login`;
export const instagram = toReference("instagram", "Business Login pages of the Instagram Platform", INSTAGRAM_LOGIN, [
  ...toScreen("/oauth/authorize", INSTAGRAM_LOGIN, {
    client_id: string(),
    scope: string({ pattern: "^instagram_business_\\w+(,instagram_business_\\w+)*$" }),
    "force_reauth?": boolean,
  }),
  {
    method: "POST",
    path: "/oauth/access_token",
    source: INSTAGRAM_LOGIN,
    bodies: form(object({ ...CLIENT, ...CODE })),
    answer: object({
      data: list(object({ access_token: string(), user_id: string(), permissions: string() }), {
        minItems: 1,
        maxItems: 1,
      }),
    }),
  },
  {
    method: "GET",
    path: "/access_token",
    source: `${META}/documentation/instagram-platform/reference/access_token`,
    query: object({ grant_type: literal("ig_exchange_token"), client_secret: string(), access_token: string() }),
    answer: issued({}),
  },
  {
    method: "GET",
    path: "/{version}/me",
    source: `${META}/documentation/instagram-platform/reference/me`,
    query: object({ fields: string({ pattern: "^[a-z_]+(,[a-z_]+)*$" }) }),
    headers: BEARER,
    answer: object({ user_id: string(), username: string(), name: string(), id: string() }),
  },
]);

const THREADS_LOGIN = `${META}/documentation/threads/get-started/get-access-tokens-and-permissions`;
export const threads = toReference("threads", "Threads API: access tokens and profiles", THREADS_LOGIN, [
  ...toScreen("/oauth/authorize", THREADS_LOGIN, {
    client_id: string(),
    scope: string({ pattern: "^threads_\\w+(,threads_\\w+)*$" }),
  }),
  {
    method: "POST",
    path: "/oauth/access_token",
    source: THREADS_LOGIN,
    bodies: form(object({ ...CLIENT, ...CODE })),
    answer: object({ access_token: string(), user_id: string() }),
  },
  {
    method: "GET",
    path: "/access_token",
    source: `${META}/docs/threads/get-started/long-lived-tokens`,
    query: object({ grant_type: literal("th_exchange_token"), client_secret: string(), access_token: string() }),
    answer: issued({}),
  },
  {
    method: "GET",
    path: "/{version}/me",
    source: `${META}/docs/threads/threads-profiles`,
    query: object({
      fields: string({
        pattern: "^(id|username|name|threads_\\w+|is_verified)(,(id|username|name|threads_\\w+|is_verified))*$",
      }),
    }),
    headers: BEARER,
    answer: object({ id: string(), username: string(), name: string() }),
  },
]);

const FACEBOOK_LOGIN = `${META}/docs/facebook-login/guides/advanced/manual-flow`;
export const facebook = toReference(
  "facebook",
  "Facebook Login: manual flow, long-lived tokens, /me/accounts",
  FACEBOOK_LOGIN,
  [
    ...toScreen("/{version}/dialog/oauth", FACEBOOK_LOGIN, {
      client_id: string(),
      "scope?": string(),
      "config_id?": string(),
    }),
    {
      method: "GET",
      path: "/{version}/oauth/access_token",
      source: `${META}/docs/facebook-login/guides/access-tokens/get-long-lived`,
      query: {
        oneOf: [
          object({ ...CLIENT, redirect_uri: string(), code: string() }),
          object({ ...CLIENT, grant_type: literal("fb_exchange_token"), fb_exchange_token: string() }),
        ],
      },
      answer: object({ access_token: string(), token_type: string(), "expires_in?": integer() }),
    },
    {
      method: "GET",
      path: "/{version}/me",
      source: `${META}/docs/graph-api/reference/user`,
      query: object({ fields: string() }),
      headers: BEARER,
      answer: object({ id: string() }),
    },
    {
      method: "GET",
      path: "/{version}/me/accounts",
      source: `${META}/docs/graph-api/reference/user/accounts`,
      query: object({ fields: string(), limit: integer({ maximum: 100 }), "after?": string() }),
      headers: BEARER,
      answer: object({
        data: list(
          object({
            id: string(),
            name: string(),
            "username?": string(),
            "access_token?": string(),
            tasks: list(string()),
          }),
        ),
        paging: object({ cursors: object({ before: string(), after: string() }), "next?": string() }),
      }),
    },
    {
      method: "GET",
      path: "/{version}/me/permissions",
      source: `${META}/docs/graph-api/reference/user/permissions/`,
      headers: BEARER,
      answer: object({
        data: list(object({ permission: string(), status: literal("granted", "declined", "expired") })),
        "paging?": { type: "object" },
      }),
    },
    {
      method: "GET",
      path: "/{version}/me/businesses",
      source: `${META}/docs/graph-api/reference/user/businesses/`,
      query: object({ fields: string(), limit: integer({ maximum: 100 }), "after?": string() }),
      headers: BEARER,
      answer: object({
        data: list(object({ id: string() })),
        paging: object({ cursors: object({ before: string(), after: string() }), "next?": string() }),
      }),
    },
    ...["owned_pages", "client_pages"].map(
      (edge): Operation => ({
        method: "GET",
        path: `/{version}/{business}/${edge}`,
        source: `${META}/docs/graph-api/reference/business/${edge}/`,
        query: object({ fields: string(), limit: integer({ maximum: 100 }), "after?": string() }),
        headers: BEARER,
        answer: object({
          data: list(object({ id: string(), name: string(), "username?": string(), "access_token?": string() })),
          paging: object({ cursors: object({ before: string(), after: string() }), "next?": string() }),
        }),
      }),
    ),
  ],
);
