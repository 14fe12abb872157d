// Refreshes tokens outside of publishing, before they expire.

import { runJobs } from "../jobs/run-jobs.ts";
import { TOKEN_LIFETIMES } from "../platforms/token-lifetimes.ts";
import { claimExpiringTokens, type ExpiringTokensQuery } from "../queries/accounts.ts";
import type { Services } from "../services/context.ts";
import { DAY_MS } from "../shared/durations.ts";
import { PLATFORMS } from "../shared/platforms.ts";
import { toResult, unwrap } from "../shared/result.ts";
import { refreshAccountToken, type TokenServices } from "./account-token.ts";
import { alertOperator } from "./app-failures.ts";

const ACCOUNTS_PER_TICK = 10;
/** A failed refresh is retried daily; tokens are renewed at least 30 days before they end. */
export const RETRY_AFTER_MS = DAY_MS;

/** Renews connections that would end unused. A rejected refresh changes nothing: the access token stays valid until it expires. */
export async function refreshExpiringTokens(
  services: TokenServices & Pick<Services, "log" | "budget" | "sandbox">,
): Promise<void> {
  const now = services.clock();
  const triedBefore = new Date(now.getTime() - RETRY_AFTER_MS);
  const ending = { ...listDueRenewals(now), now, triedBefore, limit: ACCOUNTS_PER_TICK, sandbox: services.sandbox };
  await runJobs(services, {
    name: "token_refresh",
    concurrency: 1,
    batch: ACCOUNTS_PER_TICK,
    maxClaims: ACCOUNTS_PER_TICK,
    claim: () => claimExpiringTokens(services.db, ending),
    getId: ({ id }) => id,
    // A refresh that ended its worker is not retried before the next day.
    countClaims: () => 1,
    async run(account) {
      const refreshed = await toResult(refreshAccountToken(services, account));
      if (!refreshed.ok) alertOperator(services, refreshed.error, account, { account: account.id });
      unwrap(refreshed);
      return { outcome: "done" };
    },
  });
}

/** Per network, the expiry of living access tokens, and the last refresh of refresh tokens, up to which one is renewed. */
function listDueRenewals(now: Date): Pick<ExpiringTokensQuery, "expireBefore" | "refreshedBefore"> {
  const at = (ms: number) => new Date(now.getTime() + ms);
  const lifetimes = PLATFORMS.map((platform) => ({ platform, ...TOKEN_LIFETIMES[platform] }));
  return {
    expireBefore: lifetimes.flatMap((lifetime) =>
      lifetime.renews === "access_token" ? [{ platform: lifetime.platform, until: at(lifetime.aheadMs) }] : [],
    ),
    refreshedBefore: lifetimes.flatMap((lifetime) =>
      lifetime.renews === "refresh_token" ? [{ platform: lifetime.platform, until: at(-lifetime.everyMs) }] : [],
    ),
  };
}
