// OAuth 2 as each network has it: RFC 6749 and RFC 7009 with the variations that its pages name. Read on 2026-11-24.
// An account of Bluesky has a server of its own instead: `bluesky/oauth-connect.ts`.
import type { Platform } from "../shared/platforms.ts";
import { FACEBOOK } from "./facebook/rules.ts";

/**
 * A consent asks for what connecting and publishing need. Every other permission is optional, and asked for where a setting
 * adds it with `+`: networks review them apart, and reject a consent whole for one that the app does not have. A setting
 * without any `+` replaces the usual ones.
 */
export function selectScopes(asked: readonly string[] | undefined, usual: readonly string[]): readonly string[] {
  if (!asked?.some((scope) => scope.startsWith("+"))) return asked ?? usual;
  return [...new Set([...usual, ...asked.map((scope) => scope.replace(/^\+/, ""))])];
}

export interface ConsentScreen {
  platform: Platform;
  consentUrl: string;
  /** Fields beyond those of RFC 6749. */
  consentFields?: Readonly<Record<string, string>>;
  scopes: readonly string[];
  requiredScopes: readonly string[];
  scopeSeparator: "," | " ";
  clientIdField: "client_id" | "client_key";
  /** PKCE (RFC 7636). */
  usesPkce?: true;
}

export interface OAuthApp extends ConsentScreen {
  /** Serves tokens if the API does not; a custom base URL serves everything. */
  tokenHost?: string;
  tokenPath: string;
  /** Credentials of the app (RFC 6749, section 2.3.1): in the form, or by Basic authentication. */
  clientAuth: "form" | "basic";
  exchangeFields?: Readonly<Record<string, string>>;
  /** X wants the client id in the form too, but only when a token is refreshed. */
  refreshNamesClient?: true;
  /** Errors of a refresh that are errors of our configuration, and so must not disconnect the account. */
  clientErrors: readonly string[];
  /** The name in messages about our credentials, if it is not the network's. */
  vendor?: string;
  /** Converts an error of a refresh to our error code. */
  toRefreshCode?: (reason: string) => string;
}

export const TIKTOK_APP: OAuthApp = {
  platform: "tiktok",
  // https://developers.tiktok.com/doc/login-kit-web: `client_key`, scopes separated by commas; PKCE is for apps on devices.
  consentUrl: "https://www.tiktok.com/v2/auth/authorize/",
  // https://developers.tiktok.com/doc/tiktok-api-scopes; people may agree to a subset of them.
  // New apps are not offered the Display API, and TikTok rejects a consent for its scope `video.list` whole: operators who
  // have it add it by TIKTOK_SCOPES. https://github.com/trypostit/trypost/pull/315 (2026-08-30), read 2026-11-28.
  scopes: ["user.info.basic", "video.publish", "video.upload"],
  requiredScopes: ["video.publish"],
  scopeSeparator: ",",
  // https://developers.tiktok.com/docs/en/oauth-user-access-token-management
  tokenPath: "/v2/oauth/token/",
  clientAuth: "form",
  clientIdField: "client_key",
  clientErrors: ["invalid_client"],
};

export const YOUTUBE_APP: OAuthApp = {
  platform: "youtube",
  // https://developers.google.com/youtube/v3/guides/auth/server-side-web-apps: only `access_type=offline` gives a refresh
  // token, and without `prompt=consent` only the first consent does. PKCE:
  // https://accounts.google.com/.well-known/openid-configuration (code_challenge_methods_supported).
  consentUrl: "https://accounts.google.com/o/oauth2/v2/auth",
  consentFields: { access_type: "offline", prompt: "consent" },
  // https://developers.google.com/youtube/v3/docs/videos/insert and /docs/channels/list. Playlists, comments, edits and
  // removals need youtube.force-ssl: YOUTUBE_SCOPES adds it.
  scopes: ["https://www.googleapis.com/auth/youtube.upload", "https://www.googleapis.com/auth/youtube.readonly"],
  requiredScopes: ["https://www.googleapis.com/auth/youtube.upload"],
  scopeSeparator: " ",
  tokenHost: "https://oauth2.googleapis.com",
  tokenPath: "/token",
  clientAuth: "form",
  clientIdField: "client_id",
  usesPkce: true,
  clientErrors: ["invalid_client", "deleted_client"],
  vendor: "Google",
};

export const X_APP: OAuthApp = {
  platform: "twitter",
  // https://docs.x.com/fundamentals/authentication/oauth-2-0/user-access-token: PKCE as a confidential client.
  consentUrl: "https://x.com/i/oauth2/authorize",
  // https://docs.x.com/fundamentals/authentication/oauth-2-0/authorization-code: no refresh token without offline.access.
  scopes: ["tweet.read", "tweet.write", "users.read", "media.write", "offline.access"],
  requiredScopes: ["tweet.write"],
  scopeSeparator: " ",
  tokenPath: "/2/oauth2/token",
  clientAuth: "basic",
  clientIdField: "client_id",
  usesPkce: true,
  refreshNamesClient: true,
  clientErrors: ["invalid_client", "unauthorized_client"],
  toRefreshCode: (reason) => `x_${reason}`,
};

export const PINTEREST_APP: OAuthApp = {
  platform: "pinterest",
  // https://developers.pinterest.com/docs/getting-started/set-up-authentication-and-authorization/
  consentUrl: "https://www.pinterest.com/oauth/",
  // https://github.com/pinterest/api-description/blob/main/v5/openapi.json
  scopes: ["user_accounts:read", "boards:read", "boards:write", "pins:read", "pins:write"],
  requiredScopes: ["pins:write"],
  scopeSeparator: ",",
  tokenPath: "/v5/oauth/token",
  clientAuth: "basic",
  clientIdField: "client_id",
  // Apps created before 2025-09-25 get a refresh token that can be renewed only on request.
  exchangeFields: { continuous_refresh: "true" },
  // API endpoints use code 2 for a rejected access token, see `pinterest/errors.ts`.
  clientErrors: ["2"],
  toRefreshCode(reason) {
    if (reason === "2") return "pin_client_refused";
    return reason === "no_refresh_token" ? "pin_no_refresh_token" : `pin_refresh_${reason}`;
  },
};

export const LINKEDIN_APP: OAuthApp = {
  platform: "linkedin",
  // https://learn.microsoft.com/en-us/linkedin/shared/authentication/authorization-code-flow: no PKCE for web apps.
  consentUrl: "https://www.linkedin.com/oauth/v2/authorization",
  // Self-service: https://learn.microsoft.com/en-us/linkedin/shared/authentication/getting-access.
  scopes: ["openid", "profile", "w_member_social"],
  requiredScopes: [],
  scopeSeparator: " ",
  tokenHost: "https://www.linkedin.com",
  tokenPath: "/oauth/v2/accessToken",
  clientAuth: "form",
  clientIdField: "client_id",
  clientErrors: ["invalid_client", "invalid_client_id"],
};

/**
 * What an app with the Community Management API asks for. The product must be the only one of its app, so `openid` and
 * `profile` of the app for members are not there, and LinkedIn rejects a request for one of them whole.
 * https://learn.microsoft.com/en-us/linkedin/marketing/community-management/community-management-api-migration-guide and
 * https://github.com/gitroomhq/postiz-app/pull/1658, read 2026-11-28.
 */
export const LINKEDIN_PAGES_SCOPES: readonly string[] = [
  ...["r_basicprofile", "w_organization_social", "r_organization_social", "rw_organization_admin"],
];

export const INSTAGRAM_CONSENT: ConsentScreen = {
  platform: "instagram",
  // https://developers.facebook.com/docs/instagram-platform/instagram-api-with-instagram-login/business-login
  consentUrl: "https://www.instagram.com/oauth/authorize",
  // Comments and analytics have permissions of their own: INSTAGRAM_SCOPES adds them.
  scopes: ["instagram_business_basic", "instagram_business_content_publish"],
  requiredScopes: ["instagram_business_content_publish"],
  scopeSeparator: ",",
  clientIdField: "client_id",
};

export const THREADS_CONSENT: ConsentScreen = {
  platform: "threads",
  // https://developers.facebook.com/documentation/threads/get-started/get-access-tokens-and-permissions
  consentUrl: "https://threads.com/oauth/authorize",
  // The owner of a thread replies to it without another permission:
  // https://developers.facebook.com/documentation/threads/retrieve-and-manage-replies, read 2026-11-28. Insights, removals, and
  // finding a reply again whose answer was lost have permissions of their own: THREADS_SCOPES adds them.
  scopes: ["threads_basic", "threads_content_publish"],
  requiredScopes: ["threads_content_publish"],
  scopeSeparator: ",",
  clientIdField: "client_id",
};

export const FACEBOOK_CONSENT: ConsentScreen = {
  platform: "facebook",
  // https://developers.facebook.com/docs/facebook-login/guides/advanced/manual-flow. Apps with Facebook Login for Business
  // name a configuration instead: https://developers.facebook.com/docs/facebook-login/facebook-login-for-business/
  consentUrl: `https://www.facebook.com/${FACEBOOK.version}/dialog/oauth`,
  // https://developers.facebook.com/documentation/video-api/guides/publishing.md (2026-11-28): videos need no publish_video,
  // which has a review of its own; FACEBOOK_SCOPES adds it. Without business_management the pages of a Business Portfolio
  // are not listed: https://github.com/trypostit/trypost/pull/301 and https://github.com/getopenpost/openpost/issues/216.
  // Comments and views have permissions of their own: FACEBOOK_SCOPES adds them.
  scopes: ["pages_show_list", "pages_read_engagement", "pages_manage_posts", "business_management"],
  requiredScopes: ["pages_manage_posts"],
  scopeSeparator: ",",
  clientIdField: "client_id",
};
