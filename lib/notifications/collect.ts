// Records what people get mails about: posts that failed, and accounts that must be connected again within seven days.
import { getReconnectBy } from "../platforms/token-lifetimes.ts";
import { listEndingAccounts } from "../queries/ending-accounts.ts";
import {
  deleteOldNotifications,
  insertFailureNotifications,
  insertReconnectNotifications,
} from "../queries/notifications.ts";
import type { Services } from "../services/context.ts";
import { PLATFORM_DETAILS } from "../shared/platforms.ts";

const HOUR_MS = 60 * 60 * 1000;
const DAY_MS = 24 * HOUR_MS;
/** A run reads events of this time: longer than cron is ever down. An event is noted once. */
const LOOKBACK_MS = 6 * HOUR_MS;
const MAX_FAILURES = 500;
const SOON_MS = 7 * DAY_MS;
const MAX_ACCOUNTS = 1_000;
const KEEP_MS = 90 * DAY_MS;

type Context = Pick<Services, "db" | "clock">;

export async function collectFailures({ db, clock }: Context): Promise<void> {
  await insertFailureNotifications(db, {
    since: new Date(clock().getTime() - LOOKBACK_MS),
    limit: MAX_FAILURES,
  });
}

export async function collectReconnects({ db, clock }: Context): Promise<void> {
  const now = clock();
  const until = new Date(now.getTime() + SOON_MS);
  const ending = await listEndingAccounts(db, { from: now, until, limit: MAX_ACCOUNTS });
  const rows = ending.flatMap((account) => {
    const end = getReconnectBy(account);
    if (!end || end <= now || end > until) return [];
    const { name } = PLATFORM_DETAILS[account.platform];
    const day = end.toLocaleDateString("en-GB", { day: "numeric", month: "long", timeZone: "UTC" });
    const line = `${name} ${account.username}: the connection ends on ${day}. Connect the account again before that.`;
    return [{ aboutId: account.id, scopeId: account.scopeId, occasion: end, line }];
  });
  await insertReconnectNotifications(db, rows);
}

export async function removeOld({ db, clock }: Context): Promise<void> {
  await deleteOldNotifications(db, new Date(clock().getTime() - KEEP_MS));
}
