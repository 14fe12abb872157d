// Speaks to a network as one of the scope's accounts; a token that has to be traded is traded under the account's lease.
import type { World } from "../call.ts";
import { drivers } from "../platforms/index.ts";
import { type Connection, failure, failureOf } from "../platforms/platform.ts";
import { accessTokenOf, expiresSoon, RECONNECT, renewed } from "../publishing/job.ts";
import * as accounts from "../queries/accounts.ts";
import type { Claimed } from "../queries/analytics-refreshes.ts";

type Io = Pick<World, "db" | "env" | "fetch" | "clock">;
type Account = Claimed["accounts"][number];

/** Longer than a trade may take. */
const LEASE_MS = 60_000;

/** Runs the work, and once more with a new token when the network no longer takes the old one. */
export async function asAccount<Result>(
  io: Io,
  account: Account,
  run: (connection: Connection) => Promise<Result>,
): Promise<Result> {
  const traded = expiresSoon(io, account);
  if (traded) await trade(io, account);
  try {
    return await run(await connectionOf(io, account));
  } catch (error) {
    const failed = failureOf(error);
    if (failed?.class !== "auth" || failed.code === RECONNECT) throw error;
    if (traded) throw failure({ ...failed, code: RECONNECT });
    await trade(io, account);
    return run(await connectionOf(io, account));
  }
}

async function connectionOf(io: Io, account: Account): Promise<Connection> {
  return { accountId: account.id, externalId: account.externalId, accessToken: await accessTokenOf(io, account) };
}

/** Leaves the account with a new token: one of its own trade, or the one that somebody else traded meanwhile. */
async function trade(io: Io, account: Account): Promise<void> {
  const driver = drivers[account.platform];
  if (!driver)
    throw failure({ class: "account", code: "platform_unavailable", message: "Nobody serves this network." });
  const now = io.clock();
  const token = crypto.randomUUID();
  const held = await accounts.lease(io.db, account.id, { token, now, until: new Date(now.getTime() + LEASE_MS) });
  if (!held) {
    throw failure({ class: "transient", code: "account_busy", message: "The account is being published to." });
  }
  try {
    const stale = held.tokenVersion !== account.tokenVersion;
    Object.assign(account, held);
    if (stale) return;
    const network = io.env.networks[account.platform];
    await renewed(io, driver, { account }, { network, connection: await connectionOf(io, account) });
  } finally {
    await accounts.release(io.db, account.id, token);
  }
}
