// Social accounts of a scope.
import { and, asc, eq, sql } from "drizzle-orm";
import { accounts } from "../../drizzle/schema/accounts.ts";
import { postDeliveries } from "../../drizzle/schema/posts.ts";
import type { Db, ReadOnlyDb } from "../services/database.ts";
import type { Platform } from "../shared/platforms.ts";
import type { Sandbox, Scope } from "../shared/scope.ts";
import type { SlotPlan } from "../shared/slots.ts";
import { isUnleased } from "./jobs.ts";
import { type NearbyPost, nearbyPostsOf } from "./nearby-posts.ts";
import { accountApp } from "./network-apps.ts";
import { type Read, readRows } from "./read.ts";
import { inMode, inScope, toScopeValues } from "./scope.ts";
import { slotPlan } from "./slots.ts";
import { instant, preparedQuery, type RowOf, rawQuery, recordSet } from "./sql.ts";
import type { TenantIds } from "./tenants.ts";
import { scopeTimeZone } from "./workspaces.ts";

const { id, platform, type, username, displayName, status, workspaceId } = accounts;
const { accessToken, refreshToken, tokenExpiresAt, tokenVersion, tokenRefreshedAt, refreshTokenExpiresAt } = accounts;
const TOKEN_COLUMNS = { accessToken, refreshToken, tokenExpiresAt, tokenVersion, tokenRefreshedAt, app: accountApp };

export const LISTED_ACCOUNT_COLUMNS = {
  ...{ id, platform, type, username, displayName, status, workspaceId, tokenExpiresAt, refreshTokenExpiresAt },
  grantedScopes: accounts.grantedScopes,
  hasRefreshToken: sql<boolean>`${refreshToken} is not null`,
};
export type ListedAccount = RowOf<typeof LISTED_ACCOUNT_COLUMNS>;

type Tokens = RowOf<typeof TOKEN_COLUMNS>;

/** The columns that a call to the network needs; the tokens and the secret of the app are encrypted. */
export const CONNECTION_COLUMNS = {
  ...{ id, platform, type, status, username, externalId: accounts.externalId },
  ...TOKEN_COLUMNS,
};
export type ConnectedAccount = RowOf<typeof CONNECTION_COLUMNS>;

/** An account of the scope that can be used, with its tokens. */
export async function findConnectedAccount(
  db: ReadOnlyDb,
  scope: Scope,
  accountId: string,
): Promise<ConnectedAccount | null> {
  const account = await findAccountConnection(db, scope, accountId);
  return account?.status === "active" ? account : null;
}

/** The name of an account of the scope; null without one. */
export async function findAccountName(db: ReadOnlyDb, scope: Scope, accountId: string): Promise<string | null> {
  const [row] = await db
    .select({ username })
    .from(accounts)
    .where(and(inScope(accounts, scope), eq(id, accountId)));
  return row?.username ?? null;
}

/** An account of the scope with its tokens, whatever its status. */
export async function findAccountConnection(
  db: ReadOnlyDb,
  scope: Scope,
  accountId: string,
): Promise<ConnectedAccount | null> {
  const [row] = await db
    .select(CONNECTION_COLUMNS)
    .from(accounts)
    .where(and(inScope(accounts, scope), eq(id, accountId)));
  return row ?? null;
}

/** Lists distinguish these; an account is disconnected by its owner here, or revoked at the network. */
const STATUSES = {
  all: ["active", "paused", "disconnected", "revoked"],
  active: ["active"],
  paused: ["paused"],
  disconnected: ["disconnected", "revoked"],
} as const;
export type AccountFilter = keyof typeof STATUSES;

interface ListValues extends ReturnType<typeof toScopeValues> {
  statuses: string;
}

const selectByStatus = preparedQuery<ListValues, typeof LISTED_ACCOUNT_COLUMNS>(
  LISTED_ACCOUNT_COLUMNS,
  (list, { scope, accountIds, statuses }) => sql`
    select ${list} from ${accounts}
    where ${inScope(accounts, { id: scope, accountIds })} and ${status} = any(${statuses}::text[])
    order by ${accounts.createdAt}, ${id}`,
);

/** Accounts of the scope, oldest first. */
export function listAccounts(
  db: ReadOnlyDb,
  scope: Pick<Scope, "id" | "accountIds">,
  filter: AccountFilter,
): Read<ListedAccount[]> {
  const query = selectByStatus(db, { ...toScopeValues(scope), statuses: `{${STATUSES[filter]}}` });
  return readRows(db, query);
}

/** The ids that are no account of the tenant. */
export async function findUnknownAccounts(
  db: ReadOnlyDb,
  { ownerId, workspaceId }: TenantIds,
  ids: readonly string[],
): Promise<string[]> {
  const known = ids.length > 0 ? await listAccounts(db, { id: workspaceId ?? ownerId }, "all") : [];
  return ids.filter((id) => !known.some((account) => account.id === id));
}

const HEALTH_COLUMNS = {
  ...LISTED_ACCOUNT_COLUMNS,
  statusReason: accounts.statusReason,
  lastPublishedAt: sql<string | null>`(
    select max(${postDeliveries.publishedAt}) from ${postDeliveries} where ${postDeliveries.accountId} = "accounts"."id")`,
};
export type AccountHealth = RowOf<typeof HEALTH_COLUMNS>;

/** Every account of the scope with its last post, active ones first. */
export function listAccountHealth(db: ReadOnlyDb, scopeId: string): Promise<AccountHealth[]> {
  return db
    .select(HEALTH_COLUMNS)
    .from(accounts)
    .where(eq(accounts.scopeId, scopeId))
    .orderBy(sql`${status} <> 'active'`, asc(platform), asc(username), asc(id));
}

/** A network's limit of uploads per day, shared by all accounts of an app. */
export interface PlannedUploadsQuery {
  platform: Platform;
  /** The day of the quota is one of this zone. */
  timeZone: string;
  /** Of the deployment's app. */
  limit: number;
  /** Of an app of a customer, if it has no other. */
  defaultLimit: number;
}

export interface PlannedAccount extends ListedAccount {
  /** As many uploads as the network allows the app are planned; false for accounts of other networks. */
  hasFullUploadDay: boolean;
  /** It was connected with an app of the customer. */
  hasOwnApp: boolean;
  /** Of the scope. */
  timeZone: string;
  slotPlan: SlotPlan | null;
  nearbyPosts: NearbyPost[];
}

interface PlannedValues extends ReturnType<typeof toScopeValues>, Record<keyof PlannedUploadsQuery, string | number> {
  ids: string;
  around: string;
  nearbyHours: number;
  /** The scope of test mode; null in live mode. */
  testScope: string | null;
}

const value = (name: keyof PlannedValues) => sql.placeholder(name);
const instantValue = (name: keyof PlannedValues) => sql`${value(name)}::timestamptz`;

/** As many uploads of the app of the account are planned as its network allows on the day of the instant. */
const hasFullUploadDay = sql<boolean>`case when ${platform} = ${value("platform")} and ${type} = 'byo' then has_full_upload_day(
  ${platform}, ${accounts.networkAppId}, ${value("testScope")}::uuid, ${instantValue("around")}, ${value("timeZone")},
  ${value("limit")}::int, ${value("defaultLimit")}::int) else false end`;

const PLANNED_COLUMNS = {
  ...LISTED_ACCOUNT_COLUMNS,
  hasFullUploadDay,
  hasOwnApp: sql<boolean>`${accounts.networkAppId} is not null`,
  timeZone: scopeTimeZone(accounts.scopeId),
  slotPlan,
  nearbyPosts: nearbyPostsOf(sql`${value("scope")}::uuid`, instantValue("around"), value("nearbyHours")),
};

const selectPlanned = preparedQuery<PlannedValues, typeof PLANNED_COLUMNS>(
  PLANNED_COLUMNS,
  (list, { scope, accountIds, ids }) => sql`
    select ${list} from ${accounts}
    where ${inScope(accounts, { id: scope, accountIds })} and ${status} = 'active' and ${id} = any(${ids}::uuid[])`,
);

/** Finds the active accounts of the scope with these ids, and their posts within the hours before and after the instant. */
export function listActiveAccounts(
  db: ReadOnlyDb,
  scope: Scope,
  ids: string[],
  { around, nearbyHours }: { around: Date; nearbyHours: number },
  planned: PlannedUploadsQuery,
) {
  return selectPlanned(db, {
    ...toScopeValues(scope),
    ...planned,
    ids: `{${ids.join(",")}}`,
    around: around.toISOString(),
    nearbyHours,
    testScope: scope.sandbox?.scopeId ?? null,
  });
}

export interface ExpiringTokensQuery {
  /** Per network: valid access tokens that expire before this time are refreshed. */
  expireBefore: { platform: Platform; until: Date }[];
  /** Per network: refresh tokens older than this are used, so that they do not expire unused. */
  refreshedBefore: { platform: Platform; until: Date }[];
  now: Date;
  /** Accounts that were tried after this time are skipped. */
  triedBefore: Date;
  limit: number;
  /** Of a test scope only; else of live ones. */
  sandbox?: Sandbox | null;
}

/**
 * Claims accounts whose access or refresh tokens would expire unused, oldest first; each is returned once a day. Rows that
 * another claim or a publisher has locked are skipped: nobody waits.
 */
export function claimExpiringTokens(
  db: Db,
  { expireBefore, refreshedBefore, now, triedBefore, limit, sandbox }: ExpiringTokensQuery,
): Promise<ConnectedAccount[]> {
  const margin = (rows: ExpiringTokensQuery["expireBefore"]) =>
    recordSet("margin", { platform, until: tokenExpiresAt }, rows);
  const mayBeTried = sql`${type} = 'byo' and ${status} in ('active', 'paused')
    and (${accounts.tokenTriedAt} is null or ${accounts.tokenTriedAt} < ${instant(triedBefore)})
    and ${inMode(accounts.scopeId, sandbox)}`;
  const update = db
    .update(accounts)
    .set({ tokenTriedAt: now })
    .from(sql`locked_accounts`)
    .where(eq(id, sql`locked_accounts.id`));
  return rawQuery(
    db,
    CONNECTION_COLUMNS,
    (list) => sql`
      with expiring_accounts as (
        select ${id} from ${accounts} join ${margin(expireBefore)}
          on margin.platform = ${platform} and ${tokenExpiresAt} <= margin.until
        where ${tokenExpiresAt} > ${instant(now)} and ${mayBeTried}
        order by ${tokenExpiresAt} limit ${limit} for no key update of ${accounts} skip locked
      ), unrefreshed_accounts as (
        select ${id} from ${accounts} join ${margin(refreshedBefore)}
          on margin.platform = ${platform} and coalesce(${tokenRefreshedAt}, ${accounts.createdAt}) <= margin.until
        where ${refreshToken} is not null and ${mayBeTried}
        order by coalesce(${tokenRefreshedAt}, ${accounts.createdAt}) limit ${limit}
        for no key update of ${accounts} skip locked
      ), locked_accounts as (select id from expiring_accounts union select id from unrefreshed_accounts)
      ${update.getSQL()} returning ${list}`,
  );
}

/** Acquires the account's lease, as a publisher does, and reads its tokens; null if the lease is taken. */
export async function leaseAccount(
  db: Db,
  accountId: string,
  { token, now, until }: { token: string; now: Date; until: Date },
): Promise<Tokens | null> {
  const [row] = await db
    .update(accounts)
    .set({ leaseToken: token, leaseUntil: until })
    .where(and(eq(id, accountId), isUnleased(accounts, now)))
    .returning(TOKEN_COLUMNS);
  return row ?? null;
}
