// Speaks to a network as one of the scope's accounts; a token that has to be traded is traded under the account's lease.
import type { World } from "../call.ts";
import { type Connection, failure, failureOf } from "../platforms/platform.ts";
import { connectionOf, expiresSoon, RECONNECT } from "../publishing/job.ts";
import { tradeToken } from "../publishing/tokens.ts";
import type { Claimed } from "../queries/analytics-refreshes.ts";

type Io = Pick<World, "db" | "env" | "fetch" | "clock">;
type Account = Claimed["accounts"][number];

/** Runs the work, and once more with a new token when the network no longer takes the old one. */
export async function asAccount<Result>(
  io: Io,
  account: Account,
  run: (connection: Connection) => Promise<Result>,
): Promise<Result> {
  const traded = expiresSoon(io, account);
  if (traded) await tradeToken(io, account);
  try {
    return await run(await connectionOf(io, account));
  } catch (error) {
    const failed = failureOf(error);
    if (failed?.class !== "auth" || failed.code === RECONNECT) throw error;
    if (traded) throw failure({ ...failed, code: RECONNECT });
    await tradeToken(io, account);
    return run(await connectionOf(io, account));
  }
}
