// Connect links: a person without an account here connects social accounts to the scope of a customer.
import { and, desc, eq, gt, isNull, lt, type SQL, sql } from "drizzle-orm";
import { accounts } from "../../drizzle/schema/accounts.ts";
import { connections, connectLinks } from "../../drizzle/schema/connections.ts";
import { networkApps } from "../../drizzle/schema/network-apps.ts";
import { owners, workspaces } from "../../drizzle/schema/tenants.ts";
import type { Db, ReadOnlyDb } from "../services/database.ts";
import type { Platform } from "../shared/platforms.ts";
import type { Scope } from "../shared/scope.ts";
import { type Read, readFirst } from "./read.ts";
import { sandboxOf } from "./sandboxes.ts";
import { inScope } from "./scope.ts";
import { jsonList, qualified, type RowOf } from "./sql.ts";
import { scopeTimeZone } from "./workspaces.ts";

const { id, ownerId, workspaceId, platforms, label, redirectUrl, starts, expiresAt, usedAt, createdAt } = connectLinks;

/** The accounts that were connected by the link, in the order of their ids. */
const listConnectedAccounts = (isVisible: SQL) =>
  qualified(
    jsonList(
      { id: accounts.id, platform: accounts.platform, username: accounts.username, displayName: accounts.displayName },
      {
        from: sql`from ${accounts} where ${isVisible} and ${accounts.id} in (
          select unnest(${connections.accountIds}) from ${connections} where ${connections.linkId} = ${id})`,
        orderBy: sql`${accounts.id}`,
      },
    ),
  );

const selectAppPlatforms = sql`select ${networkApps.platform} from ${networkApps}
  where ${networkApps.scopeId} = ${connectLinks.scopeId} and ${networkApps.retiredAt} is null`;

const LINK_COLUMNS = {
  ...{ id, ownerId, workspaceId, platforms, label, redirectUrl, expiresAt, usedAt, createdAt },
  accounts: listConnectedAccounts(sql`true`),
};

export type StoredConnectLink = RowOf<typeof LINK_COLUMNS>;

export interface NewConnectLink {
  id: string;
  tokenHash: string;
  platforms: Platform[] | null;
  label: string | null;
  redirectUrl: string | null;
  createdBy: string | null;
  expiresAt: Date;
  createdAt: Date;
}

/** A retry of the same request has the same id; the URL of its response is the one that works. */
export async function insertConnectLink(db: Db, { ownerId, workspaceId }: Scope, link: NewConnectLink): Promise<void> {
  await db
    .insert(connectLinks)
    .values({ ...link, ownerId, workspaceId })
    .onConflictDoUpdate({ target: id, set: { tokenHash: link.tokenHash } });
}

export function findConnectLink(db: ReadOnlyDb, scope: Scope, linkId: string): Read<StoredConnectLink | null> {
  return readFirst(
    db,
    db
      .select({ ...LINK_COLUMNS, accounts: listConnectedAccounts(inScope(accounts, scope)) })
      .from(connectLinks)
      .where(and(eq(id, linkId), inScope(connectLinks, scope))),
  );
}

const MAX_LISTED_LINKS = 100;

/** Links that can still be opened, newest first, with the accounts that each has connected. */
export function listOpenConnectLinks(db: ReadOnlyDb, scopeId: string, now: Date) {
  return db
    .select({ id, platforms, label, expiresAt, createdAt, accounts: LINK_COLUMNS.accounts })
    .from(connectLinks)
    .where(and(eq(connectLinks.scopeId, scopeId), isNull(usedAt), gt(expiresAt, now)))
    .orderBy(desc(createdAt))
    .limit(MAX_LISTED_LINKS);
}

/** The link of a token with the name and the time zone of the customer who sent it, and the networks at which that customer has an app. */
export async function findConnectLinkByToken(
  db: ReadOnlyDb,
  tokenHash: string,
): Promise<
  (StoredConnectLink & { sender: string; timeZone: string; ownApps: Platform[]; isTestMode: boolean }) | null
> {
  const [row] = await db
    .select({
      ...LINK_COLUMNS,
      sender: sql<string>`coalesce(${workspaces.name}, ${owners.name})`,
      timeZone: scopeTimeZone(connectLinks.scopeId),
      ownApps: sql<Platform[]>`array(${selectAppPlatforms})`,
      isTestMode: sql<boolean>`${sandboxOf(connectLinks.scopeId)} is not null`,
    })
    .from(connectLinks)
    .innerJoin(owners, eq(owners.id, ownerId))
    .leftJoin(workspaces, eq(workspaces.id, workspaceId))
    .where(eq(connectLinks.tokenHash, tokenHash));
  return row ?? null;
}

export async function deleteConnectLink(db: Db, scope: Scope, linkId: string): Promise<boolean> {
  const removed = await db
    .delete(connectLinks)
    .where(and(eq(id, linkId), inScope(connectLinks, scope)))
    .returning({ id });
  return removed.length > 0;
}

/** Counts a start while the link is open and has fewer than `most`; false otherwise. */
export async function countConnectLinkStart(db: Db, linkId: string, now: Date, most: number): Promise<boolean> {
  const counted = await db
    .update(connectLinks)
    .set({ starts: sql`${starts} + 1` })
    .where(and(eq(id, linkId), isNull(usedAt), gt(expiresAt, now), lt(starts, most)))
    .returning({ id });
  return counted.length > 0;
}

/** The link connects nothing from now on. */
export async function markConnectLinkUsed(db: Db, linkId: string, now: Date, isEnded?: SQL): Promise<void> {
  await db
    .update(connectLinks)
    .set({ usedAt: now })
    .where(and(eq(id, linkId), isNull(usedAt), isEnded));
}

/** Ends a link that was made for one network, once an account of it is connected. */
export function markSingleConnectLinkUsed(db: Db, linkId: string, now: Date): Promise<void> {
  return markConnectLinkUsed(db, linkId, now, sql`cardinality(${platforms}) = 1`);
}

/** Deletes links, with their connections, that ended before then. */
export async function deleteEndedConnectLinks(db: Db, before: Date): Promise<void> {
  await db.delete(connectLinks).where(lt(expiresAt, before));
}
