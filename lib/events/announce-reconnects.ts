// Writes `account.reconnect_soon` a week before the end of each connection that the service cannot renew.
import { getReconnectBy, RECONNECT_SOON_MS } from "../platforms/token-lifetimes.ts";
import { announceReconnects, listEndingAccounts } from "../queries/ending-accounts.ts";
import type { Services } from "../services/context.ts";

const MAX_ACCOUNTS = 1_000;

export async function announceEndingAccounts({
  db,
  clock,
  sandbox,
}: Pick<Services, "db" | "clock" | "sandbox">): Promise<void> {
  const now = clock();
  const until = new Date(now.getTime() + RECONNECT_SOON_MS);
  const ending = await listEndingAccounts(db, { from: now, until, limit: MAX_ACCOUNTS, isUnannounced: true, sandbox });
  const announced = ending.flatMap((account) => {
    const end = getReconnectBy(account);
    return end && end > now && end <= until ? [{ id: account.id, end }] : [];
  });
  await announceReconnects(db, announced);
}
