// Does what is due in a test scope at the time of its clock, with the code that does it in live mode.
import { runRefreshes } from "../analytics/run-refreshes.ts";
import { announceEndingAccounts } from "../events/announce-reconnects.ts";
import { sendDueOfScope } from "../events/send-webhooks.ts";
import { ENDING_TOKENS, RECONNECT_SOON_MS, TOKEN_LIFETIMES } from "../platforms/token-lifetimes.ts";
import { CHECK_AHEAD_MS, checkScheduled, RECHECK_MS } from "../publishing/check-scheduled.ts";
import { moveClockPosts } from "../publishing/move-clock-posts.ts";
import { publishDue } from "../publishing/publish-due.ts";
import { RETRY_AFTER_MS, refreshExpiringTokens } from "../publishing/refresh-tokens.ts";
import { listUpcomingRefreshes } from "../queries/analytics-refreshes.ts";
import type { DueKind, DueRules } from "../queries/sandbox-due.ts";
import { listDueSandboxDeliveries } from "../queries/sandbox-runs.ts";
import type { Services } from "../services/context.ts";
import { PLATFORMS } from "../shared/platforms.ts";
import type { Sandbox } from "../shared/scope.ts";

export const DUE_RULES: DueRules = {
  checkAheadMs: CHECK_AHEAD_MS,
  recheckMs: RECHECK_MS,
  reconnectAheadMs: RECONNECT_SOON_MS,
  endingTokens: ENDING_TOKENS,
  tokenRetryMs: RETRY_AFTER_MS,
  tokens: PLATFORMS.flatMap((platform) => {
    const lifetime = TOKEN_LIFETIMES[platform];
    if (lifetime.renews === "access_token") return { platform, aheadMs: lifetime.aheadMs };
    return lifetime.renews === "refresh_token" ? { platform, everyMs: lifetime.everyMs } : [];
  }),
};

export const EVERY_KIND: readonly DueKind[] = ["tokens", "checks", "deliveries", "refreshes", "reconnects", "webhooks"];

/** Of one instant; rounds that find nothing new end it before. */
const MAX_ROUNDS = 50;
const MAX_DELIVERIES = 300;
const MAX_REFRESHES = 100;

/** Work that becomes due at once goes on in the same run; later work is enqueued as ever, unless the clock is moved to it. */
export interface RunServices extends Services {
  sandbox: Sandbox;
  /** Enqueues work that is due later; null when the run moves the clock there itself. */
  enqueueLater: ((delaySeconds: number) => void) | null;
  canGoOn(): boolean;
}

export async function doDueWork(services: RunServices, kinds: readonly DueKind[]): Promise<void> {
  const { sandbox } = services;
  let wanted = new Set<DueKind>(kinds);
  for (let round = 0; wanted.size > 0 && round < MAX_ROUNDS && services.canGoOn(); round++) {
    const requested = new Set<DueKind>();
    const request = (kind: DueKind) => (_ids: unknown, delaySeconds: number) => {
      if (delaySeconds === 0) requested.add(kind);
      else services.enqueueLater?.(delaySeconds);
    };
    const own: Services = {
      ...services,
      ...{ enqueueDeliveries: request("deliveries"), enqueueRefreshes: request("refreshes") },
      ...{ enqueueWebhooks: request("webhooks") },
    };
    const now = services.clock();
    if (wanted.has("tokens")) await refreshExpiringTokens(own);
    if (wanted.has("checks")) await checkScheduled(own);
    if (wanted.has("deliveries")) {
      if (round === 0) await moveClockPosts(own, 1);
      const ids = await listDueSandboxDeliveries(own.db, sandbox.scopeId, now, MAX_DELIVERIES);
      if (ids.length > 0) await publishDue(own, ids);
      if (ids.length === MAX_DELIVERIES) requested.add("deliveries");
    }
    if (wanted.has("refreshes")) {
      const ids = (await listUpcomingRefreshes(own.db, now, now, MAX_REFRESHES, sandbox)).map(({ id }) => id);
      if (ids.length > 0) await runRefreshes(own, ids);
    }
    if (wanted.has("reconnects")) await announceEndingAccounts(own);
    // Everything before may have written events.
    await sendDueOfScope(own, sandbox.scopeId);
    wanted = requested;
  }
}
