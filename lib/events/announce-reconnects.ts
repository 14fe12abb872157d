// Writes `account.reconnect_soon` a week before the end of each connection that the service cannot renew.
import { ENDING_TOKENS, RECONNECT_SOON_MS } from "../platforms/token-lifetimes.ts";
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
  const query = { from: now, until, tokens: ENDING_TOKENS, limit: MAX_ACCOUNTS, isUnannounced: true, sandbox };
  await announceReconnects(db, await listEndingAccounts(db, query));
}
