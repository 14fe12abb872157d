// Accounts whose connection ends soon.
import { and, inArray, sql } from "drizzle-orm";
import { accounts } from "../../drizzle/schema/accounts.ts";
import type { Db, ReadOnlyDb } from "../services/database.ts";
import type { Sandbox } from "../shared/scope.ts";
import { LISTED_ACCOUNT_COLUMNS } from "./accounts.ts";
import { inMode } from "./scope.ts";
import { instant, rawCommand, recordSet } from "./sql.ts";

interface EndingAccountsQuery {
  from: Date;
  until: Date;
  limit: number;
  /** Only those whose end `announceReconnects` has not stored. */
  isUnannounced?: boolean;
  /** Of a test scope only; else of live ones. */
  sandbox?: Sandbox | null;
}

/** Connected accounts with a token that ends between two instants; which of them are renewed is for the caller to say. */
export function listEndingAccounts(
  db: ReadOnlyDb,
  { from, until, limit, isUnannounced, sandbox }: EndingAccountsQuery,
) {
  const ends = sql`least(
    case when ${accounts.refreshToken} is null then ${accounts.tokenExpiresAt} end, ${accounts.refreshTokenExpiresAt})`;
  const isEnding = sql`${accounts.type} = 'byo' and ${ends} > ${instant(from)} and ${ends} <= ${instant(until)}`;
  return db
    .select({ ...LISTED_ACCOUNT_COLUMNS, scopeId: accounts.scopeId })
    .from(accounts)
    .where(
      and(
        inArray(accounts.status, ["active", "paused"]),
        isEnding,
        inMode(accounts.scopeId, sandbox),
        isUnannounced ? sql`${accounts.reconnectAnnouncedFor} is distinct from ${ends}` : undefined,
      ),
    )
    .orderBy(ends)
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
