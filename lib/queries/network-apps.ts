// Apps at the networks that customers bring: the current one of a network, and those that accounts still have tokens of.
import { and, asc, eq, isNull, ne, sql } from "drizzle-orm";
import { accounts } from "../../drizzle/schema/accounts.ts";
import { connections } from "../../drizzle/schema/connections.ts";
import { networkApps } from "../../drizzle/schema/network-apps.ts";
import type { Db, ReadOnlyDb } from "../services/database.ts";
import type { Platform } from "../shared/platforms.ts";
import { excluded, optionalJsonObject, qualified, type RowOf } from "./sql.ts";
import type { TenantIds } from "./tenants.ts";

const { id, scopeId, platform, clientId, clientSecret, secretEnd, scopes, uploadsPerDay, retiredAt } = networkApps;

const APP_COLUMNS = { id, scopeId, platform, clientId, clientSecret, scopes, uploadsPerDay };
export type StoredNetworkApp = RowOf<typeof APP_COLUMNS>;

/** In a select list with accounts: the app that issued an account's tokens; null for the app of the deployment. */
export const accountApp = qualified(
  optionalJsonObject(APP_COLUMNS, { from: sql`from ${networkApps} where ${id} = ${accounts.networkAppId}` }),
);

const isCurrent = (scope: string) => and(eq(scopeId, scope), isNull(retiredAt));

/** The app with which new accounts of the network are connected; null: the app of the deployment. */
export async function findCurrentApp(
  db: ReadOnlyDb,
  { ownerId, workspaceId }: TenantIds,
  network: Platform,
): Promise<(StoredNetworkApp & { secretEnd: string }) | null> {
  const current = and(isCurrent(workspaceId ?? ownerId), eq(platform, network));
  const [row] = await db
    .select({ ...APP_COLUMNS, secretEnd })
    .from(networkApps)
    .where(current);
  return row ?? null;
}

/** An app by its id, whether it is current or not. */
export async function findNetworkApp(db: ReadOnlyDb, appId: string): Promise<StoredNetworkApp | null> {
  const [row] = await db.select(APP_COLUMNS).from(networkApps).where(eq(id, appId));
  return row ?? null;
}

/** The networks at which the customer has a current app. */
export async function listAppPlatforms(db: ReadOnlyDb, { ownerId, workspaceId }: TenantIds): Promise<Platform[]> {
  const rows = await db
    .select({ platform })
    .from(networkApps)
    .where(isCurrent(workspaceId ?? ownerId));
  return rows.map((row) => row.platform);
}

const LISTED_COLUMNS = {
  ...{ id, platform, clientId, secretEnd, scopes, uploadsPerDay, retiredAt, updatedAt: networkApps.updatedAt },
  accounts: sql<number>`(select count(*)::int from ${accounts} where ${accounts.networkAppId} = "network_apps"."id"
    and ${accounts.status} in ('active', 'paused'))`,
};
export type ListedNetworkApp = RowOf<typeof LISTED_COLUMNS>;

/** The apps of a scope with the number of their accounts; retired ones only while they have any. */
export async function listNetworkApps(db: ReadOnlyDb, scope: string): Promise<ListedNetworkApp[]> {
  const rows = await db
    .select(LISTED_COLUMNS)
    .from(networkApps)
    .where(eq(scopeId, scope))
    .orderBy(asc(platform), sql`${retiredAt} is not null`, asc(id));
  return rows.filter((row) => row.retiredAt === null || row.accounts > 0);
}

export interface NewNetworkApp {
  id: string;
  platform: Platform;
  clientId: string;
  /** Encrypted for the scope, network and client id. */
  clientSecret: string;
  secretEnd: string;
  scopes: string[] | null;
  uploadsPerDay: number | null;
}

/** Makes it the current app of its network. The same client id again replaces its secret and settings. */
export async function saveNetworkApp(
  db: Db,
  { ownerId, workspaceId }: TenantIds,
  app: NewNetworkApp,
  now: Date,
): Promise<void> {
  const isOther = and(isCurrent(workspaceId ?? ownerId), eq(platform, app.platform), ne(clientId, app.clientId));
  await db.batch([
    db.update(networkApps).set({ retiredAt: now, updatedAt: now }).where(isOther),
    db
      .insert(networkApps)
      .values({ ...app, ownerId, workspaceId, createdAt: now, updatedAt: now })
      .onConflictDoUpdate({
        target: [scopeId, platform, clientId],
        set: {
          clientSecret: excluded(clientSecret),
          secretEnd: excluded(secretEnd),
          scopes: excluded(scopes),
          uploadsPerDay: excluded(uploadsPerDay),
          retiredAt: null,
          updatedAt: now,
        },
      }),
  ]);
}

/** New accounts are connected with the app of the deployment again; accounts keep the app that they have. */
export async function retireNetworkApp(db: Db, scope: string, network: Platform, now: Date): Promise<boolean> {
  const retired = await db
    .update(networkApps)
    .set({ retiredAt: now, updatedAt: now })
    .where(and(isCurrent(scope), eq(platform, network)))
    .returning({ id });
  return retired.length > 0;
}

/** Deletes retired apps that no account and no pending connection needs. */
export async function deleteUnusedApps(db: Db): Promise<void> {
  await db
    .delete(networkApps)
    .where(
      and(
        sql`${retiredAt} is not null`,
        sql`not exists (select from ${accounts} where ${accounts.networkAppId} = "network_apps"."id")`,
        sql`not exists (select from ${connections} where ${connections.networkAppId} = "network_apps"."id")`,
      ),
    );
}
