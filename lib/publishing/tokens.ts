// Tokens between posts: traded under the account's lease, and in time where idle weeks would let a connection die.
import type { World } from "../call.ts";
import { describeError } from "../describe-error.ts";
import { drivers } from "../platforms/index.ts";
import { failure } from "../platforms/platform.ts";
import * as accounts from "../queries/accounts.ts";
import type { Claimed } from "../queries/deliveries.ts";
import { connectionOf, renewed } from "./job.ts";

type Io = Pick<World, "db" | "env" | "fetch" | "clock">;

/** Longer than a trade may take. */
const LEASE_MS = 60_000;

const ACCOUNTS_PER_TICK = 10;
/** A trade that failed leaves weeks for the next ones. */
const AGAIN_AFTER_MS = 24 * 60 * 60 * 1000;

/** Leaves the account with a new token: one of its own trade, or the one that somebody else traded meanwhile. */
export async function tradeToken(io: Io, account: Claimed["account"]): Promise<void> {
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

/** Trades what ages. A refusal ends nothing: the token still works, and whoever uses it finds out when it does not. */
export async function renewAgingTokens(io: Io & Pick<World, "log">): Promise<void> {
  const now = io.clock();
  const until = Object.values(drivers).flatMap(({ platform, renewAheadMs }) =>
    renewAheadMs === undefined ? [] : [{ platform, until: new Date(now.getTime() + renewAheadMs) }],
  );
  const triedBefore = new Date(now.getTime() - AGAIN_AFTER_MS);
  for (const account of await accounts.claimAging(io.db, { until, now, triedBefore, limit: ACCOUNTS_PER_TICK })) {
    try {
      await tradeToken(io, account);
    } catch (error) {
      io.log({ level: "error", account: account.id, error: describeError(error) });
    }
  }
}
