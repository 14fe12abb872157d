// The consent of each network; test/network-references has the documentation of each request.

import type { Platform } from "../../../../lib/shared/platforms.ts";
import { createTraceId } from "../../../../lib/simulator/networks/context.ts";
import { findHeaderError } from "../../../../lib/simulator/networks/linkedin-protocol.ts";
import type { NetworkAccount } from "../../../../lib/simulator/networks/network.ts";
import {
  type ConsentRules,
  first,
  type Granted,
  HOUR,
  isCode,
  nameOf,
  oauthError,
  ok,
  screen,
  titleOf,
} from "./consent-rules.ts";
import { facebook, instagram, threads } from "./meta.ts";

const tiktok: ConsentRules = {
  screenPath: "/v2/auth/authorize/",
  screen: screen(["user.info.basic", "video.publish", "video.upload", "video.list"], {
    clientParam: "client_key",
    separator: ",",
  }),
  app: ["client_key", "client_secret"],
  toError: oauthError,
  endpoints: [
    {
      ...{ method: "POST", path: /^\/v2\/oauth\/token\/$/, call: "oauth/code", kind: "code", when: isCode },
      respond: (granted) =>
        ok({
          access_token: granted.accessToken,
          expires_in: 24 * HOUR,
          open_id: first(granted).externalId,
          refresh_token: granted.refreshToken,
          refresh_expires_in: 180 * 24 * HOUR,
          scope: granted.consent.scopes.join(","),
          token_type: "Bearer",
        }),
    },
    {
      ...{ method: "GET", path: /^\/v2\/user\/info\/$/, call: "user/info", kind: "granted" },
      respond: (granted) =>
        ok({
          data: { user: { open_id: first(granted).externalId, display_name: titleOf(first(granted)) } },
          error: { code: "ok", message: "", log_id: createTraceId("log") },
        }),
    },
    {
      ...{ method: "POST", path: /^\/v2\/oauth\/revoke\/$/, call: "oauth/revoke", kind: "revoke", tokenField: "token" },
      respond: () => ok({}),
    },
  ],
};

const youtube: ConsentRules = {
  screenPath: "/o/oauth2/v2/auth",
  screen: screen(
    ["upload", "readonly", "force-ssl"].map((name) => `https://www.googleapis.com/auth/youtube.${name}`),
    { pkce: "optional", several: true },
  ),
  app: ["client_id", "client_secret"],
  toError: oauthError,
  endpoints: [
    {
      ...{ method: "POST", path: /^\/token$/, call: "oauth/code", kind: "code", when: isCode },
      respond: ({ accessToken, refreshToken, consent }) =>
        ok({
          access_token: accessToken,
          expires_in: HOUR,
          refresh_token: refreshToken,
          scope: consent.scopes.join(" "),
          token_type: "Bearer",
        }),
    },
    {
      ...{ method: "GET", path: /^\/youtube\/v3\/channels$/, call: "channels.mine", kind: "granted" },
      // Analytics reads the own channel without maxResults.
      when: (fields) => fields.mine === "true" && fields.maxResults !== undefined,
      respond: ({ consent }) =>
        ok({
          kind: "youtube#channelListResponse",
          items: consent.accounts.map((channel) => ({
            id: channel.externalId,
            snippet: { title: titleOf(channel), customUrl: `@${nameOf(channel)}` },
          })),
        }),
    },
    {
      ...{ method: "POST", path: /^\/revoke$/, call: "oauth/revoke", kind: "revoke", tokenField: "token" },
      respond: () => ok({}),
    },
  ],
};

const twitter: ConsentRules = {
  screenPath: "/i/oauth2/authorize",
  screen: screen(["tweet.read", "tweet.write", "users.read", "media.write", "offline.access"], { pkce: "required" }),
  app: "basic",
  toError: oauthError,
  endpoints: [
    {
      ...{ method: "POST", path: /^\/2\/oauth2\/token$/, call: "oauth/code", kind: "code", when: isCode },
      respond: ({ accessToken, refreshToken, consent }) =>
        ok({
          ...{ token_type: "bearer", expires_in: 2 * HOUR, access_token: accessToken, refresh_token: refreshToken },
          scope: consent.scopes.join(" "),
        }),
    },
    {
      ...{ method: "GET", path: /^\/2\/users\/me$/, call: "users/me", kind: "granted" },
      respond: (granted) => {
        const account = first(granted);
        return ok({ data: { id: account.externalId, name: titleOf(account), username: nameOf(account) } });
      },
    },
    {
      ...{ method: "POST", path: /^\/2\/oauth2\/revoke$/, call: "oauth/revoke", kind: "revoke", tokenField: "token" },
      respond: () => ok({ revoked: true }),
    },
  ],
};

const pinterest: ConsentRules = {
  screenPath: "/oauth/",
  screen: screen(["user_accounts:read", "boards:read", "boards:write", "pins:read", "pins:write"], { separator: "," }),
  app: "basic",
  toError: (error) => ({ status: error === "invalid_client" ? 401 : 400, body: { code: 1, message: error } }),
  endpoints: [
    {
      ...{ method: "POST", path: /^\/v5\/oauth\/token$/, call: "oauth/code", kind: "code", when: isCode },
      respond: ({ accessToken, refreshToken, consent }) =>
        ok({
          access_token: accessToken,
          refresh_token: refreshToken,
          response_type: "authorization_code",
          token_type: "bearer",
          expires_in: 30 * 24 * HOUR,
          refresh_token_expires_in: 60 * 24 * HOUR,
          scope: consent.scopes.join(" "),
        }),
    },
    {
      ...{ method: "GET", path: /^\/v5\/user_account$/, call: "user_account", kind: "granted" },
      respond: (granted) => {
        const account = first(granted);
        const names = { username: nameOf(account), business_name: titleOf(account) };
        return ok({ account_type: "BUSINESS", id: account.externalId, ...names });
      },
    },
  ],
};

const isOrganization = ({ externalId }: NetworkAccount) => /^\d+$|:organization:/.test(externalId);
const organizationId = ({ externalId }: NetworkAccount) => externalId.split(":").at(-1) ?? "";
const personId = ({ consent }: Granted) =>
  consent.accounts
    .find((account) => !isOrganization(account))
    ?.externalId.split(":")
    .at(-1) ?? `p${organizationId(consent.accounts[0] as NetworkAccount)}`;

/** Of an account: what the member may do for the page. */
const rolesOf = ({ facts }: NetworkAccount): string[] => (facts?.roles as string[] | undefined) ?? ["ADMINISTRATOR"];

const linkedin: ConsentRules = {
  screenPath: "/oauth/v2/authorization",
  screen: screen(
    [
      ...["openid", "profile", "email", "w_member_social", "r_basicprofile", "r_member_postAnalytics"],
      ...["w_member_social_feed", "r_member_social_feed", "w_organization_social_feed", "r_organization_social_feed"],
      ...["w_organization_social", "r_organization_social", "rw_organization_admin", "r_organization_admin"],
    ],
    // https://github.com/n8n-io/n8n/issues/14654 has the redirect that a scope without its product leads to.
    { deniedError: "user_cancelled_authorize", several: true, scopeError: "unauthorized_scope_error" },
  ),
  app: ["client_id", "client_secret"],
  toError: oauthError,
  endpoints: [
    {
      ...{ method: "POST", path: /^\/oauth\/v2\/accessToken$/, call: "oauth/code", kind: "code", when: isCode },
      respond: ({ accessToken, refreshToken, consent }) =>
        ok({
          ...{ access_token: accessToken, expires_in: 60 * 24 * HOUR, scope: consent.scopes.join(",") },
          ...{ refresh_token: refreshToken, refresh_token_expires_in: 365 * 24 * HOUR },
        }),
    },
    {
      ...{ method: "GET", path: /^\/v2\/userinfo$/, call: "userinfo", kind: "granted" },
      respond: (granted) => ok({ sub: personId(granted), name: titleOf(first(granted)), locale: "en-US" }),
    },
    {
      ...{ method: "GET", path: /^\/v2\/me$/, call: "me", kind: "granted" },
      respond: (granted) => {
        const [localizedFirstName, ...rest] = titleOf(first(granted)).split(" ");
        return ok({ id: personId(granted), localizedFirstName, localizedLastName: rest.join(" ") });
      },
    },
    {
      ...{ method: "GET", path: /^\/rest\/organizationAcls$/, call: "organizationAcls", kind: "granted" },
      respond: (granted, request) =>
        findHeaderError(request) ??
        ok({
          elements: granted.consent.accounts.filter(isOrganization).flatMap((account) =>
            rolesOf(account)
              .filter((role) => [null, role].includes(request.query.get("role")))
              .map((role) => ({
                role,
                organization: `urn:li:organization:${organizationId(account)}`,
                roleAssignee: `urn:li:person:${personId(granted)}`,
                state: "APPROVED",
              })),
          ),
          paging: { count: 20, start: 0, links: [] },
        }),
    },
    {
      ...{ method: "GET", path: /^\/rest\/organizations\/\d+$/, call: "organizations.get", kind: "granted" },
      respond: ({ consent }, request) => {
        const account = consent.accounts.find((one) => organizationId(one) === request.path.split("/").at(-1));
        const headerError = findHeaderError(request);
        if (headerError) return headerError;
        if (!account || account.facts?.isClosed === true)
          return { status: 404, body: { status: 404, code: "NOT_FOUND", message: "No such organization." } };
        if (account.facts?.isHidden === true)
          return { status: 403, body: { status: 403, serviceErrorCode: 100, message: "Not enough permissions." } };
        const name = titleOf(account);
        return ok({ id: Number(organizationId(account)), localizedName: name, vanityName: nameOf(account) });
      },
    },
    {
      ...{ method: "POST", path: /^\/oauth\/v2\/revoke$/, call: "oauth/revoke", kind: "revoke", tokenField: "token" },
      respond: () => ok({}),
    },
  ],
};

export const CONSENTS: Partial<Record<Platform, ConsentRules>> = {
  ...{ tiktok, instagram, threads, facebook, youtube, twitter, pinterest, linkedin },
};
