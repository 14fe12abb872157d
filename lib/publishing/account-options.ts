// What an account can choose from at its network, asked there and kept for ten minutes.

import type { Options } from "../platforms/choice.ts";
import { selectAccountApp } from "../platforms/issuing-app.ts";
import { getOptionsReader } from "../platforms/options.ts";
import { type Failure, getFailure } from "../platforms/platform.ts";
import { type ConnectedAccount, findAccountConnection } from "../queries/accounts.ts";
import type { AccountOptionsQuery } from "../schemas/account.ts";
import type { ReadContext, Services } from "../services/context.ts";
import { resolveNetwork } from "../services/network-app.ts";
import { consumeFromWindow } from "../services/redis.ts";
import { apiError } from "../shared/errors.ts";
import { formatError } from "../shared/format-error.ts";
import { PLATFORM_DETAILS } from "../shared/platforms.ts";
import type { TokenServices } from "./account-token.ts";
import { withAccountToken } from "./with-account-token.ts";

const KEPT_SECONDS = 10 * 60;
/** Reads of the network that one account has in a minute, whoever asks. */
const READS = { quota: 10, windowSeconds: 60 };

interface KeptOptions {
  fetched_at: string;
  options: Options;
}

export interface LoadedOptions {
  account: ConnectedAccount | null;
  kept: KeptOptions | null;
}

/** The account and what is kept of it, in the round trip of the rate limits. */
export async function loadOptions(
  { db, key, redis }: Pick<ReadContext, "db" | "key" | "redis">,
  accountId: string,
  query: AccountOptionsQuery,
): Promise<LoadedOptions> {
  const [account, kept] = await Promise.all([
    findAccountConnection(db, key.scope, accountId),
    query.refresh ? null : redis.get<KeptOptions>(toKey(accountId, query)),
  ]);
  return { account, kept };
}

function toKey(accountId: string, { board_id: boardId }: AccountOptionsQuery): string {
  return `account-options:${accountId}${boardId === undefined ? "" : `:${boardId}`}`;
}

type Context = TokenServices & Pick<Services, "redis" | "log" | "waitUntil">;

export async function listAccountOptions(
  context: Context,
  accountId: string,
  query: AccountOptionsQuery,
  { account, kept }: LoadedOptions,
) {
  if (!account) throw apiError("not_found", "No account with this id is visible to the key.");
  const isConnected = account.type === "byo";
  const { name } = PLATFORM_DETAILS[account.platform];
  if (isConnected && (account.status === "disconnected" || account.status === "revoked")) {
    const message = `The ${name} account ${account.username} is not connected. Connect it again.`;
    throw apiError("account_disconnected", message);
  }
  const read = isConnected ? getOptionsReader(account.platform) : null;
  if (!read) return { account_id: accountId, fetched_at: context.clock().toISOString(), options: {} };
  if (kept) return { account_id: accountId, ...kept };
  await consumeRead(context, accountId, name);
  const network = selectAccountApp(await resolveNetwork(context.env, account.platform, account.app), account);
  const io = { fetch: context.fetch, now: context.clock, network };
  try {
    const options = await withAccountToken(context, account, ({ accessToken }) =>
      read({ ...io, connection: { accessToken } }, query.board_id),
    );
    const fresh: KeptOptions = { fetched_at: context.clock().toISOString(), options };
    context.waitUntil(context.redis.set(toKey(accountId, query), fresh, { ex: KEPT_SECONDS }));
    return { account_id: accountId, ...fresh };
  } catch (error) {
    const failed = getFailure(error);
    if (!failed) throw error;
    context.log({ level: "warn", account_options: failed.code, error: formatError(error) });
    throw toOptionsError(failed, query);
  }
}

async function consumeRead({ redis, clock }: Context, accountId: string, name: string): Promise<void> {
  const { success, reset } = await consumeFromWindow(redis, "limit:account_reads", READS, accountId, 1);
  if (success) return;
  const message = `${name} is asked about an account at most ${READS.quota} times a minute. Retry after the time in Retry-After.`;
  const seconds = Math.max(1, Math.ceil((reset - clock().getTime()) / 1000));
  throw apiError("rate_limited", message, { retry_after_seconds: seconds });
}

/** A board is all that a caller names, so an error about the content is about the board. */
function toOptionsError(failed: Failure, query: AccountOptionsQuery) {
  if (failed.class === "auth") return apiError("account_disconnected", failed.message);
  if (query.board_id !== undefined && ["content", "account"].includes(failed.class)) {
    return apiError("not_found", `The account has no board ${query.board_id}.`);
  }
  return apiError("provider_error", failed.message);
}
