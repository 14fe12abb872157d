// Token lifetimes per network, and when a connection is renewed even if no post is due.
import { DAY_MS } from "../shared/durations.ts";
import { PLATFORMS, type Platform } from "../shared/platforms.ts";

/** The event and the mail of a connection that ends are sent this early. */
export const RECONNECT_SOON_MS = 7 * DAY_MS;

/** A connection that is renewed in time lasts; what the network does not renew ends at the time in `reconnect_by`. */
type TokenLifetime =
  /** The access token is renewed `aheadMs` before it expires. */
  | { renews: "access_token"; aheadMs: number }
  /** Each refresh returns a refresh token with a new lifetime, so it is used once it is this old. `until`: even so it ends. */
  | { renews: "refresh_token"; everyMs: number; until?: "refresh_token_expires_at" }
  /** The refresh token has a fixed expiry that a refresh does not extend. */
  | { renews: "nothing" };

/** All read on 2026-11-23. */
export const TOKEN_LIFETIMES: Record<Platform, TokenLifetime> = {
  // 60 days, renewed from an age of 24 hours: https://developers.facebook.com/docs/instagram-platform/reference/refresh_access_token
  instagram: { renews: "access_token", aheadMs: 30 * DAY_MS },
  // 60 days: https://developers.facebook.com/docs/threads/get-started/long-lived-tokens
  threads: { renews: "access_token", aheadMs: 30 * DAY_MS },
  // 180 days, replaced at each refresh: https://developers.tiktok.com/docs/en/oauth-refresh-a-user-access-token
  tiktok: { renews: "refresh_token", everyMs: 45 * DAY_MS },
  // Ends after six months without use: https://developers.google.com/identity/protocols/oauth2#expiration
  youtube: { renews: "refresh_token", everyMs: 45 * DAY_MS },
  // No lifetime is documented; integrations report six months: https://docs.x.com/fundamentals/authentication/oauth-2-0/authorization-code
  twitter: { renews: "refresh_token", everyMs: 45 * DAY_MS },
  // 60 days, replaced at each refresh: https://developers.pinterest.com/docs/getting-started/set-up-authentication-and-authorization/
  pinterest: { renews: "refresh_token", everyMs: 20 * DAY_MS },
  // Three months, replaced at each refresh; a session by OAuth ends after two weeks or two years. App passwords do not end:
  // https://github.com/bluesky-social/atproto/blob/main/packages/oauth/oauth-provider/src/oauth-constants.ts, read 2026-11-24
  bluesky: { renews: "refresh_token", everyMs: 30 * DAY_MS, until: "refresh_token_expires_at" },
  // 365 days from the first sign-in: https://learn.microsoft.com/en-us/linkedin/shared/authentication/programmatic-refresh-tokens
  linkedin: { renews: "nothing" },
  // Page tokens of a long-lived user token do not end: https://developers.facebook.com/docs/facebook-login/guides/access-tokens/get-long-lived
  facebook: { renews: "nothing" },
};

/**
 * Networks where a connection ends with its access token, if it has no refresh token, and where with its refresh token. Other
 * connections are kept alive.
 */
export const ENDING_TOKENS = {
  accessToken: PLATFORMS.filter((platform) => TOKEN_LIFETIMES[platform].renews !== "access_token"),
  refreshToken: PLATFORMS.filter((platform) => {
    const lifetime = TOKEN_LIFETIMES[platform];
    return lifetime.renews === "nothing" || (lifetime.renews === "refresh_token" && lifetime.until !== undefined);
  }),
};

interface StoredTokens {
  platform: Platform;
  type: "byo" | "hosted";
  tokenExpiresAt: Date | null;
  refreshTokenExpiresAt: Date | null;
  hasRefreshToken: boolean;
}

/** The instant after which the connection ends unless the account is connected again; null when it is kept alive. */
export function getReconnectBy(account: StoredTokens): Date | null {
  if (account.type === "hosted") return null;
  const { platform, hasRefreshToken, tokenExpiresAt, refreshTokenExpiresAt } = account;
  if (!hasRefreshToken) return ENDING_TOKENS.accessToken.includes(platform) ? tokenExpiresAt : null;
  return ENDING_TOKENS.refreshToken.includes(platform) ? refreshTokenExpiresAt : null;
}
