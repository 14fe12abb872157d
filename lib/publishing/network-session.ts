// The connection of an attempt to its network: a job with a valid token, which is refreshed when the network rejects it.
import { failure, getFailure, type Job, type Publisher } from "../platforms/platform.ts";
import type { ClaimedDelivery } from "../queries/deliveries.ts";
import {
  buildConnection,
  expiresSoon,
  isNewToken,
  RECONNECT_REQUIRED,
  refreshAccountToken,
  refreshLeasedAccount,
  TOKEN_NOT_YET_ACCEPTED,
  type TokenServices,
  tokenNotYetAccepted,
} from "./account-token.ts";
import { buildJob, getNetworkConfig } from "./publish-context.ts";

export interface Session {
  publisher: Publisher;
  /** Opened by the first call, with a token that is refreshed if it expires soon. */
  getJob(): Promise<Job>;
  /** The account as it was claimed, or with its refreshed token. */
  getAccount(): ClaimedDelivery["account"];
  /**
   * Returns true if the failed call can be made again, because the network rejected the token and a new one is there. A network
   * may take minutes until it accepts a new token, so only an older token that is rejected again ends the connection.
   * Throws when the token cannot be refreshed.
   */
  refreshAfter(error: unknown): Promise<boolean>;
}

export function openSession(
  services: TokenServices,
  publisher: Publisher,
  claimed: Readonly<ClaimedDelivery>,
  signal: AbortSignal,
): Session {
  let { account } = claimed;
  let job: Job | null = null;

  /** Under the delivery's lease of the account if it has one, else under a new lease. */
  async function refresh(): Promise<void> {
    account = claimed.holdsAccount
      ? await refreshLeasedAccount(services, publisher, account, await getNetworkConfig(services, account))
      : await refreshAccountToken(services, account);
    if (job) job = { ...job, connection: await buildConnection(services, account) };
  }

  return {
    publisher,
    getAccount: () => account,
    async getJob() {
      if (!job) {
        job = await buildJob(services, claimed, account, signal);
        if (expiresSoon(services, account)) await refresh();
      }
      return job;
    },
    async refreshAfter(error) {
      const failed = getFailure(error);
      if (failed?.class !== "auth" || failed.code === RECONNECT_REQUIRED) return false;
      if (isNewToken(services, account)) throw tokenNotYetAccepted(account.platform);
      if (claimed.errorCode === TOKEN_NOT_YET_ACCEPTED) throw failure({ ...failed, code: RECONNECT_REQUIRED });
      await refresh();
      return true;
    },
  };
}
