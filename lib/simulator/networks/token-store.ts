// The accounts of one network by the tokens issued for them.
import type { NetworkContext } from "./context.ts";
import { type NetworkAccount, type NetworkRequest, readBearerToken, readFields } from "./network.ts";

export function createTokenStore(context: NetworkContext) {
  const byAccess = context.map<NetworkAccount>("accounts by access token");
  const byRefresh = context.map<NetworkAccount>("accounts by refresh token");
  const issuedAt = context.map<number>("tokens issued");
  const known = context.map<true>("known accounts");

  function register(account: NetworkAccount): void {
    // Networks need a while until all of their servers accept a refreshed token: the fact `propagationMs`.
    if (known.has(account.externalId) && !byAccess.has(account.accessToken))
      issuedAt.set(account.accessToken, context.now());
    known.set(account.externalId, true);
    byAccess.set(account.accessToken, account);
    if (account.refreshToken) byRefresh.set(account.refreshToken, account);
  }

  /** Returns the account of an access token, even if the token has expired. */
  function findByAccessToken(token: string | null): NetworkAccount | null {
    const account = byAccess.get(token ?? "") ?? null;
    const acceptedAt = (issuedAt.get(token ?? "") ?? 0) + Number(account?.facts?.propagationMs ?? 0);
    return account && context.now() < acceptedAt ? { ...account, expired: true } : account;
  }

  return {
    register,
    findByAccessToken,
    /** Returns the account of the request, null if its token is unknown or expired. */
    authorize(request: NetworkRequest): NetworkAccount | null {
      const account = findByAccessToken(readBearerToken(request));
      return account && !account.expired ? account : null;
    },
    /** Returns the account by the access token or refresh token of the request. */
    findAccount(request: NetworkRequest): NetworkAccount | null {
      const account = findByAccessToken(readBearerToken(request));
      if (account || !/json|urlencoded/.test(request.headers.get("content-type") ?? "")) return account;
      return byRefresh.get(readFields(request).refresh_token ?? "") ?? null;
    },
    /** Returns the account of a refresh token. */
    findByRefreshToken: (token: string | null | undefined) => byRefresh.get(token ?? "") ?? null,
    /** Forgets every token of the account. */
    disconnect(externalId: string): void {
      for (const tokens of [byAccess, byRefresh]) {
        for (const [token, account] of tokens) if (account.externalId === externalId) tokens.delete(token);
      }
    },
    /** For refresh tokens that can be used once. */
    revokeRefreshToken: (token: string) => void byRefresh.delete(token),
    revokeAccessToken: (token: string) => void byAccess.delete(token),
    listAccounts: () => byAccess.values(),
  };
}
