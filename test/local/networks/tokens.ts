// The accounts of one network, found by the tokens that it gave out for them.
import { bearerOf, fieldsOf, type Incoming, type NetworkAccount } from "./network.ts";

export function createTokens() {
  const byAccess = new Map<string, NetworkAccount>();
  const byRefresh = new Map<string, NetworkAccount>();

  function register(account: NetworkAccount): void {
    byAccess.set(account.accessToken, account);
    if (account.refreshToken) byRefresh.set(account.refreshToken, account);
  }

  /** Whose access token it is, an expired one too. */
  const holder = (token: string | null) => byAccess.get(token ?? "") ?? null;

  return {
    register,
    holder,
    /** Whose request it is, provided that its token is still good. */
    authorized(request: Incoming): NetworkAccount | null {
      const account = holder(bearerOf(request));
      return account && !account.expired ? account : null;
    },
    /** Whose request it is, by the token that it carries or trades. */
    accountOf(request: Incoming): string | null {
      const held = holder(bearerOf(request));
      if (held || !/json|urlencoded/.test(request.headers.get("content-type") ?? "")) return held?.externalId ?? null;
      return byRefresh.get(fieldsOf(request).refresh_token ?? "")?.externalId ?? null;
    },
    /** Whose refresh token it is. */
    refreshing: (token: string | null | undefined) => byRefresh.get(token ?? "") ?? null,
    /** A refresh token that is good once. */
    spend: (token: string) => void byRefresh.delete(token),
    revoke: (token: string) => void byAccess.delete(token),
    all: () => byAccess.values(),
  };
}
