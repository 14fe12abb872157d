// Consents: the screens, token endpoints, profiles and revocations of each network, from the pages of its documentation.

import { bluesky } from "./bluesky-consent.ts";
import { BASIC, BEARER, CLIENT, CODE, form, issued, PKCE, toReference, toScreen } from "./consent-parts.ts";
import { facebook, instagram, threads } from "./meta-consents.ts";
import { boolean, integer, type JsonSchema, list, literal, object, type Reference, string } from "./reference.ts";

const TIKTOK = "https://developers.tiktok.com";
const tiktok = toReference(
  "tiktok",
  "Login Kit and OAuth pages of TikTok for Developers",
  `${TIKTOK}/doc/login-kit-web`,
  [
    ...toScreen("/v2/auth/authorize/", `${TIKTOK}/doc/login-kit-web`, {
      client_key: string(),
      scope: string({ pattern: "^[a-z.]+(,[a-z.]+)*$" }),
      "disable_auto_auth?": literal("0", "1"),
    }),
    {
      method: "POST",
      path: "/v2/oauth/token/",
      source: `${TIKTOK}/docs/en/oauth-user-access-token-management`,
      bodies: form(object({ client_key: string(), client_secret: string(), ...CODE, "code_verifier?": string() })),
      answer: issued({ open_id: string(), refresh_token: string(), refresh_expires_in: integer(), scope: string() }),
    },
    {
      method: "GET",
      path: "/v2/user/info/",
      source: `${TIKTOK}/doc/tiktok-api-v2-get-user-info`,
      query: object({
        fields: string({
          pattern: "^(open_id|union_id|avatar_url|display_name)(,(open_id|union_id|avatar_url|display_name))*$",
        }),
      }),
      headers: BEARER,
      answer: object({
        data: object({ user: object({ open_id: string(), "display_name?": string() }) }),
        error: object({ code: literal("ok"), message: string(), log_id: string() }),
      }),
    },
    {
      method: "POST",
      path: "/v2/oauth/revoke/",
      source: `${TIKTOK}/docs/en/oauth-revoke-a-user-access-token`,
      bodies: form(object({ client_key: string(), client_secret: string(), token: string() })),
      answer: object({}),
    },
  ],
);

const GOOGLE = "https://developers.google.com/youtube/v3/guides/auth/server-side-web-apps";
const youtube = toReference("youtube", "Google OAuth 2.0 for web server applications", GOOGLE, [
  ...toScreen("/o/oauth2/v2/auth", GOOGLE, {
    client_id: string(),
    scope: string({
      pattern: "^https://www\\.googleapis\\.com/auth/\\S+( https://www\\.googleapis\\.com/auth/\\S+)*$",
    }),
    access_type: literal("offline"),
    "prompt?": string(),
    "include_granted_scopes?": boolean,
    "login_hint?": string(),
    ...PKCE,
  }),
  {
    method: "POST",
    path: "/token",
    source: GOOGLE,
    bodies: form(object({ ...CLIENT, ...CODE, code_verifier: string() })),
    answer: issued({ "refresh_token?": string(), scope: string() }),
  },
  {
    method: "GET",
    path: "/youtube/v3/channels",
    source: "https://developers.google.com/youtube/v3/docs/channels/list",
    query: object({ part: string(), mine: literal("true", true), maxResults: integer({ minimum: 0, maximum: 50 }) }),
    headers: BEARER,
    answer: object({
      kind: literal("youtube#channelListResponse"),
      items: list(object({ id: string(), snippet: object({ title: string(), "customUrl?": string() }) })),
    }),
  },
  { method: "POST", path: "/revoke", source: GOOGLE, bodies: form(object({ token: string() })) },
]);

const X = "https://docs.x.com/fundamentals/authentication/oauth-2-0/user-access-token";
const twitter = toReference("twitter", "X: OAuth 2.0 Authorization Code Flow with PKCE", X, [
  ...toScreen("/i/oauth2/authorize", X, {
    client_id: string(),
    scope: string({ pattern: "^[a-z.]+( [a-z.]+)*$" }),
    ...PKCE,
  }),
  {
    method: "POST",
    path: "/2/oauth2/token",
    source: X,
    headers: BASIC,
    bodies: form(object({ ...CODE, code_verifier: string(), "client_id?": string() })),
    answer: issued({ scope: string(), "refresh_token?": string() }),
  },
  {
    method: "GET",
    path: "/2/users/me",
    source: "https://docs.x.com/x-api/users/get-my-user",
    query: object({ "user.fields?": string() }),
    headers: BEARER,
    answer: object({ data: object({ id: string(), name: string(), username: string() }) }),
  },
  {
    method: "POST",
    path: "/2/oauth2/revoke",
    source: X,
    headers: BASIC,
    bodies: form(
      object({ token: string(), "client_id?": string(), "token_type_hint?": literal("access_token", "refresh_token") }),
    ),
  },
]);

const PINTEREST = "https://developers.pinterest.com/docs/getting-started/set-up-authentication-and-authorization/";
const pinterest = toReference("pinterest", "Pinterest: authentication pages and API description v5", PINTEREST, [
  ...toScreen("/oauth/", PINTEREST, {
    client_id: string(),
    scope: string({ pattern: "^[a-z_]+:[a-z_]+(,[a-z_]+:[a-z_]+)*$" }),
  }),
  {
    method: "POST",
    path: "/v5/oauth/token",
    source: PINTEREST,
    headers: BASIC,
    bodies: form(object({ ...CODE, "continuous_refresh?": boolean })),
    answer: issued({
      response_type: literal("authorization_code"),
      refresh_token: string(),
      refresh_token_expires_in: integer(),
      scope: string(),
    }),
  },
  {
    method: "GET",
    path: "/v5/user_account",
    source: "https://github.com/pinterest/api-description/blob/main/v5/openapi.json",
    query: object({ "ad_account_id?": string() }),
    headers: BEARER,
    answer: object({
      account_type: literal("PINNER", "BUSINESS"),
      id: string(),
      username: string(),
      "business_name?": string(),
    }),
  },
]);

const LINKEDIN = "https://learn.microsoft.com/en-us/linkedin";
const LINKEDIN_FLOW = `${LINKEDIN}/shared/authentication/authorization-code-flow`;
const ROLES = `${LINKEDIN}/marketing/community-management/organizations/organization-access-control-by-role`;
const VERSIONED: JsonSchema = {
  type: "object",
  required: ["authorization", "linkedin-version", "x-restli-protocol-version"],
  properties: {
    authorization: string({ pattern: "^Bearer " }),
    "linkedin-version": string({ pattern: "^20\\d{4}$" }),
    "x-restli-protocol-version": literal("2.0.0"),
  },
};
const linkedin = toReference(
  "linkedin",
  "LinkedIn: authorization code flow, userinfo, profile, organization roles",
  LINKEDIN_FLOW,
  [
    ...toScreen("/oauth/v2/authorization", LINKEDIN_FLOW, {
      client_id: string(),
      scope: string({ pattern: "^\\w+( \\w+)*$" }),
    }),
    {
      method: "POST",
      path: "/oauth/v2/accessToken",
      source: LINKEDIN_FLOW,
      bodies: form(object({ ...CLIENT, ...CODE })),
      answer: object({
        access_token: string(),
        expires_in: integer(),
        scope: string(),
        "refresh_token?": string(),
        "refresh_token_expires_in?": integer(),
      }),
    },
    {
      method: "GET",
      path: "/v2/userinfo",
      source: `${LINKEDIN}/consumer/integrations/self-serve/sign-in-with-linkedin-v2`,
      headers: BEARER,
      answer: object({ sub: string(), name: string(), "locale?": {} }),
    },
    {
      method: "GET",
      path: "/v2/me",
      source: `${LINKEDIN}/shared/integrations/people/profile-api`,
      headers: BEARER,
      answer: object({ id: string(), localizedFirstName: string(), localizedLastName: string() }),
    },
    {
      method: "GET",
      path: "/rest/organizationAcls",
      source: ROLES,
      query: object({
        q: literal("roleAssignee"),
        "role?": string(),
        "state?": literal("APPROVED", "REQUESTED", "REJECTED", "REVOKED"),
        "count?": integer({ maximum: 100 }),
        "start?": integer(),
      }),
      headers: VERSIONED,
      answer: object({
        elements: list(object({ role: string(), organization: string(), roleAssignee: string(), state: string() })),
        paging: object({ count: integer(), start: integer(), links: list({}) }),
      }),
    },
    {
      method: "GET",
      path: "/rest/organizations/{id}",
      source: `${LINKEDIN}/marketing/community-management/organizations/organization-lookup-api`,
      headers: VERSIONED,
      answer: object({ id: integer(), localizedName: string(), vanityName: string() }),
    },
    {
      method: "POST",
      path: "/oauth/v2/revoke",
      // The page does not document this call; the fields are those that published integrations send.
      source: "https://learn.microsoft.com/en-us/linkedin/shared/authentication/authorization-code-flow",
      bodies: form(object({ ...CLIENT, token: string() })),
    },
  ],
);

export const consents: readonly Reference[] = [
  bluesky,
  tiktok,
  instagram,
  threads,
  facebook,
  youtube,
  twitter,
  pinterest,
  linkedin,
];
