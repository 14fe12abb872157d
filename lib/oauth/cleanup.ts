// Deletes what no client needs any more: expired tokens, consents that were not used, clients that nobody let in.
import { deleteEndedTokens } from "../queries/grants.ts";
import { deleteUnusedClients } from "../queries/oauth-clients.ts";
import type { Services } from "../services/context.ts";
import { DAY_MS } from "../shared/durations.ts";
import { GRANT_DAYS } from "./issue-tokens.ts";

/** A client that comes back later is told that its token expired, and refreshes it. */
const ACCESS_TOKEN_DAYS = 7;
const CLIENT_DAYS = 30;

export async function removeEndedTokens({ db, clock }: Services): Promise<void> {
  const now = clock();
  const daysAgo = (days: number) => new Date(now.getTime() - days * DAY_MS);
  await deleteEndedTokens(db, { now, accessTokens: daysAgo(ACCESS_TOKEN_DAYS), refreshTokens: daysAgo(GRANT_DAYS) });
  await deleteUnusedClients(db, daysAgo(CLIENT_DAYS));
}
