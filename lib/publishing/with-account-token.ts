// Calls a network with an account's token. Refreshing takes the account's lease, so that publishing does not refresh it at the same time.

import { type Connection, getFailure } from "../platforms/platform.ts";
import type { ConnectedAccount } from "../queries/accounts.ts";
import { retry } from "../shared/retry.ts";
import {
  buildConnection,
  expiresSoon,
  isNewToken,
  RECONNECT_REQUIRED,
  refreshAccountToken,
  type TokenServices,
  tokenNotYetAccepted,
} from "./account-token.ts";

/**
 * Calls `run`; if the network rejects the token, refreshes it and calls `run` again. A network may take minutes until it
 * accepts a new token, so its rejection is `rate_limited`.
 */
export async function withAccountToken<Result>(
  services: TokenServices,
  account: ConnectedAccount,
  run: (connection: Connection) => Promise<Result>,
): Promise<Result> {
  // The caller's next call uses the new token as well.
  const renew = async () => Object.assign(account, await refreshAccountToken(services, account));
  if (expiresSoon(services, account)) await renew();
  const refresh = async (error: unknown) => {
    const networkFailure = getFailure(error);
    if (networkFailure?.class !== "auth" || networkFailure.code === RECONNECT_REQUIRED) return false;
    if (isNewToken(services, account)) throw tokenNotYetAccepted(account.platform);
    await renew();
    return true;
  };
  return retry(async () => run(await buildConnection(services, account)), refresh);
}
