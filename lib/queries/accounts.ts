// Social accounts of a scope.
import { and, asc, eq, inArray, sql } from "drizzle-orm";
import { accounts } from "../../drizzle/schema/accounts.ts";
import { type Db, rowsOf } from "../db.ts";
import type { Platform } from "../platforms/platform.ts";
import type { Scope } from "../scope.ts";
import type { Claimed } from "./deliveries.ts";

const columns = {
  id: accounts.id,
  platform: accounts.platform,
  type: accounts.type,
  username: accounts.username,
  displayName: accounts.displayName,
  status: accounts.status,
  workspaceId: accounts.workspaceId,
};

export type AccountRow = Omit<typeof accounts.$inferSelect, "platform"> & { platform: Platform };
export type ListedAccount = Pick<AccountRow, keyof typeof columns>;

/** Active accounts of the scope, oldest first. */
export async function listActive(db: Db, scope: Scope): Promise<ListedAccount[]> {
  const rows = await db
    .select(columns)
    .from(accounts)
    .where(and(eq(accounts.scopeId, scope.id), eq(accounts.status, "active")))
    .orderBy(asc(accounts.createdAt), asc(accounts.id));
  return rows as ListedAccount[];
}

/** Those of the ids that are active accounts of the scope. */
export async function findActive(db: Db, scope: Scope, ids: string[]): Promise<ListedAccount[]> {
  const rows = await db
    .select(columns)
    .from(accounts)
    .where(and(eq(accounts.scopeId, scope.id), eq(accounts.status, "active"), inArray(accounts.id, ids)));
  return rows as ListedAccount[];
}

type Tokens = Pick<AccountRow, "accessToken" | "refreshToken" | "tokenExpiresAt" | "tokenVersion">;

export interface Aging {
  /** Per network, up to when a token may live to be traded now. */
  until: { platform: Platform; until: Date }[];
  now: Date;
  /** One that was tried later than this is left alone. */
  triedBefore: Date;
  limit: number;
}

type AgingRow = Omit<Claimed["account"], "tokenExpiresAt"> & { tokenExpiresAt: string };

/** Accounts whose living tokens end within their network's time, soonest first; each is handed out once a day. */
export async function claimAging(db: Db, { until, now, triedBefore, limit }: Aging): Promise<Claimed["account"][]> {
  const result = await db.execute(sql`
    with aging as (
      select a.id from accounts a
      join jsonb_to_recordset(${JSON.stringify(until)}::jsonb) as w(platform text, until timestamptz)
        on w.platform = a.platform and a.token_expires_at <= w.until
      where a.type = 'byo' and a.status in ('active', 'paused') and a.token_expires_at > ${now.toISOString()}
        and (a.token_tried_at is null or a.token_tried_at < ${triedBefore.toISOString()})
      order by a.token_expires_at limit ${limit} for no key update of a skip locked
    )
    update accounts a set token_tried_at = ${now.toISOString()} from aging where a.id = aging.id
    returning a.id, a.platform, a.type, a.status, a.username, a.external_id as "externalId",
      a.access_token as "accessToken", a.refresh_token as "refreshToken", a.token_expires_at as "tokenExpiresAt",
      a.token_version as "tokenVersion"`);
  return rowsOf<AgingRow>(result).map((row) => ({ ...row, tokenExpiresAt: new Date(row.tokenExpiresAt) }));
}

/** Takes the account's lease, as a publisher does, and reads its tokens; null while somebody else holds it. */
export async function lease(
  db: Db,
  id: string,
  { token, now, until }: { token: string; now: Date; until: Date },
): Promise<Tokens | null> {
  const result = await db.execute(sql`
    update accounts set lease_token = ${token}, lease_until = ${until.toISOString()}
    where id = ${id} and (lease_until is null or lease_until < ${now.toISOString()})
    returning access_token as "accessToken", refresh_token as "refreshToken", token_expires_at as "tokenExpiresAt",
      token_version as "tokenVersion"`);
  const [row] = rowsOf<Omit<Tokens, "tokenExpiresAt"> & { tokenExpiresAt: string | null }>(result);
  return row ? { ...row, tokenExpiresAt: row.tokenExpiresAt ? new Date(row.tokenExpiresAt) : null } : null;
}

export async function release(db: Db, id: string, token: string): Promise<void> {
  await db.execute(sql`
    update accounts set lease_token = null, lease_until = null where id = ${id} and lease_token = ${token}`);
}
