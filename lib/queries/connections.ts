// Pending consents: started in one browser, answered once by the network, then one or several accounts.
import { and, eq, gt, lt, or, sql } from "drizzle-orm";
import { connections, connectLinks } from "../../drizzle/schema/connections.ts";
import type { Db, ReadOnlyDb } from "../services/database.ts";
import type { Platform } from "../shared/platforms.ts";
import type { RowOf } from "./sql.ts";
import type { TenantIds } from "./tenants.ts";

const { id, ownerId, workspaceId, platform, linkId, networkAppId } = connections;
const { status, secrets, errorCode, errorMessage, accountIds } = connections;

const COLUMNS = {
  ...{ id, ownerId, workspaceId, platform, linkId, networkAppId, status, secrets, errorCode, errorMessage, accountIds },
};
export type Connection = RowOf<typeof COLUMNS>;

export interface NewConnection {
  id: string;
  platform: Platform;
  linkId: string | null;
  /** The app whose consent is asked for; null: the app of the deployment. */
  networkAppId: string | null;
  /** Null when no consent screen is involved. */
  stateHash: string | null;
  browserHash: string;
  status: "started" | "exchanging";
  secrets: string;
  expiresAt: Date;
}

export async function insertConnection(
  db: Db,
  { ownerId, workspaceId }: TenantIds,
  connection: NewConnection,
): Promise<void> {
  await db.insert(connections).values({ ...connection, ownerId, workspaceId });
}

/** False once the link of a connection is done; one without a link is of a member. */
const hasOpenLink = sql`(${linkId} is null or exists (
  select 1 from ${connectLinks} where ${connectLinks.id} = ${linkId} and ${connectLinks.usedAt} is null))`;

/** Takes the state, so that it is used once; null when it is unknown, used, expired, of another browser or of a link that is done. */
export async function consumeConnectionState(
  db: Db,
  given: { stateHash: string; browserHash: string; platform: Platform; now: Date },
): Promise<Connection | null> {
  const [row] = await db
    .update(connections)
    .set({ stateHash: null, status: "exchanging" })
    .where(
      and(
        eq(connections.stateHash, given.stateHash),
        eq(connections.browserHash, given.browserHash),
        eq(platform, given.platform),
        gt(connections.expiresAt, given.now),
        hasOpenLink,
      ),
    )
    .returning(COLUMNS);
  return row ?? null;
}

/** A connection as the browser that began it may see it. */
export async function findConnectionForBrowser(
  db: ReadOnlyDb,
  connectionId: string,
  browserHash: string,
): Promise<Connection | null> {
  const [row] = await db
    .select(COLUMNS)
    .from(connections)
    .where(and(eq(id, connectionId), eq(connections.browserHash, browserHash)));
  return row ?? null;
}

/** Takes the choice among several accounts, so that it is made once; null when it was made or has expired. */
export async function consumeConnectionChoice(
  db: Db,
  given: { id: string; browserHash: string; now: Date },
): Promise<Connection | null> {
  const [row] = await db
    .update(connections)
    .set({ status: "exchanging" })
    .where(
      and(
        eq(id, given.id),
        eq(connections.browserHash, given.browserHash),
        eq(status, "choosing"),
        gt(connections.expiresAt, given.now),
        hasOpenLink,
      ),
    )
    .returning(COLUMNS);
  return row ?? null;
}

/** True while an account may be stored for the connection: networks take seconds to say whose it is. */
export async function isConnectionOpen(db: ReadOnlyDb, connectionId: string): Promise<boolean> {
  const [row] = await db
    .select({ id })
    .from(connections)
    .where(and(eq(id, connectionId), hasOpenLink));
  return row !== undefined;
}

export interface ConnectionResult {
  status: "choosing" | "connected" | "failed";
  /** The sealed accounts to choose from. */
  secrets?: string;
  errorCode?: string;
  errorMessage?: string;
  accountIds?: string[];
  expiresAt?: Date;
}

export async function saveConnectionResult(db: Db, connectionId: string, result: ConnectionResult): Promise<void> {
  await db.update(connections).set(result).where(eq(id, connectionId));
}

/** Deletes connections that ended before then; those of a link stay as long as the link, which lists their accounts. */
export async function deleteEndedConnections(db: Db, before: Date): Promise<void> {
  await db
    .delete(connections)
    .where(and(lt(connections.expiresAt, before), or(sql`${linkId} is null`, sql`cardinality(${accountIds}) = 0`)));
}
