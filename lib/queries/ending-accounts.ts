// Accounts whose connection ends soon.
import { and, inArray, sql } from "drizzle-orm";
import { accounts } from "../../drizzle/schema/accounts.ts";
import type { Db, ReadOnlyDb } from "../services/database.ts";
import type { Sandbox } from "../shared/scope.ts";
import { LISTED_ACCOUNT_COLUMNS } from "./accounts.ts";
import { inMode } from "./scope.ts";
import { instant, rawCommand, recordSet, required, textArray, typedAs } from "./sql.ts";

/** Networks where a connection ends with its access token, if it has no refresh token, and where with its refresh token. */
export interface EndingTokens {
  accessToken: readonly string[];
  refreshToken: readonly string[];
}

/** The instant at which the connection of an account ends; null if it is kept alive. */
export function connectionEnd({ accessToken, refreshToken }: EndingTokens) {
  const { platform, tokenExpiresAt, refreshTokenExpiresAt } = accounts;
  const isAmong = (names: readonly string[]) => sql`${platform} = any(${textArray(names)})`;
  return typedAs(
    sql`case when ${accounts.refreshToken} is null then case when ${isAmong(accessToken)} then ${tokenExpiresAt} end
      when ${isAmong(refreshToken)} then ${refreshTokenExpiresAt} end`,
    required(tokenExpiresAt),
  );
}

interface EndingAccountsQuery {
  from: Date;
  /** Of an earlier page, the id of its last account; `from` is the end of that one. */
  afterId?: string | undefined;
  until: Date;
  tokens: EndingTokens;
  limit: number;
  /** Only those whose end `announceReconnects` has not stored. */
  isUnannounced?: boolean;
  /** Of a test scope only; else of live ones. */
  sandbox?: Sandbox | null;
}

/** A page of the connected accounts whose connection ends between two instants, the first to end first. */
export function listEndingAccounts(
  db: ReadOnlyDb,
  { from, afterId, until, tokens, limit, isUnannounced, sandbox }: EndingAccountsQuery,
) {
  const end = connectionEnd(tokens);
  return db
    .select({ ...LISTED_ACCOUNT_COLUMNS, scopeId: accounts.scopeId, end })
    .from(accounts)
    .where(
      and(
        inArray(accounts.status, ["active", "paused"]),
        sql`${accounts.type} = 'byo' and ${end} <= ${instant(until)} and (${end} > ${instant(from)}
          or ${end} = ${instant(from)} and ${accounts.id} > ${afterId ?? null}::uuid)`,
        inMode(accounts.scopeId, sandbox),
        isUnannounced ? sql`${accounts.reconnectAnnouncedFor} is distinct from ${end}` : undefined,
      ),
    )
    .orderBy(end, accounts.id)
    .limit(limit);
}

/** Stores the ends that are announced; a trigger writes an event for each that is new. */
export async function announceReconnects(db: Db, ending: { id: string; end: Date }[]): Promise<void> {
  if (ending.length === 0) return;
  const columns = { id: accounts.id, end: accounts.reconnectAnnouncedFor };
  await rawCommand(
    db,
    sql`update ${accounts} set reconnect_announced_for = ending."end" from ${recordSet("ending", columns, ending)}
      where ${accounts.id} = ending.id and ${accounts.reconnectAnnouncedFor} is distinct from ending."end"`,
  );
}
