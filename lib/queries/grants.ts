// The grants of a scope as people give, read and end them, and the cleanup of what ended.
import { and, desc, eq, isNotNull, isNull, or, sql } from "drizzle-orm";
import { grants } from "../../drizzle/schema/keys.ts";
import { grantAccessTokens, grantCodes, grantRefreshTokens } from "../../drizzle/schema/oauth.ts";
import { members, owners } from "../../drizzle/schema/tenants.ts";
import type { Db, ReadOnlyDb } from "../services/database.ts";
import { KEY_ROLE, listRolesFrom, type Permission } from "../shared/permissions.ts";
import type { Resource } from "../shared/resources.ts";
import { planScope } from "./sandboxes.ts";
import { instant, json, nullable, rawCommand, rawQuery, textArray, uuidArray } from "./sql.ts";
import { createKeyToken, type TenantIds } from "./tenants.ts";

/** More than a workspace has; the list is not paged. */
const MAX_GRANTS = 200;

export interface NewGrant {
  id: string;
  clientId: string;
  clientName: string;
  clientHost: string;
  permissions: readonly Permission[];
  accountIds: readonly string[];
  resource: Resource | null;
  /** The person who consents. */
  createdBy: string;
  code: { codeHash: string; redirectUri: string; codeChallenge: string };
  /** Of the code; the grant is valid from its exchange on. */
  expiresAt: Date;
  now: Date;
}

/** Stores a consent, in the mode of the scope, and its code. False when the person may not make keys in the workspace any more. */
export async function insertGrant(db: Db, { ownerId, workspaceId }: TenantIds, grant: NewGrant): Promise<boolean> {
  // The grant has no token of its own: nobody knows this secret.
  const { publicId, secretHash } = createKeyToken("grant");
  const { code, permissions, expiresAt, now } = grant;
  const live = planScope(sql`${workspaceId ?? ownerId}::uuid`);
  const rows = await rawQuery(
    db,
    { id: sql<string>`grant_id` },
    (list) => sql`
      with consenting_member as (
        select 1 from ${members} where ${members.workspaceId} = ${live} and ${members.ownerId} = ${grant.createdBy}::uuid
          and ${members.role} = any(${textArray(listRolesFrom(KEY_ROLE))}) for share
      ), new_grant as (
        insert into ${grants} (id, public_id, secret_hash, owner_id, workspace_id, permissions, account_ids, expires_at, created_at,
          client_name, client_id, client_host, resource, created_by)
        select ${grant.id}::uuid, ${publicId}, ${secretHash}, ${ownerId}::uuid, ${workspaceId}::uuid, ${json(permissions)},
          ${uuidArray(grant.accountIds)}, ${instant(expiresAt)}, ${instant(now)}, ${grant.clientName}, ${grant.clientId},
          ${grant.clientHost}, ${grant.resource}, ${grant.createdBy}::uuid
        where ${live} = ${ownerId}::uuid or exists (select 1 from consenting_member)
        returning id
      ) insert into ${grantCodes} (code_hash, grant_id, redirect_uri, code_challenge, expires_at)
      select ${code.codeHash}, id, ${code.redirectUri}, ${code.codeChallenge}, ${instant(expiresAt)} from new_grant
      returning ${list}`,
  );
  return rows.length > 0;
}

/** Grants that a client has tokens of, and those of the admin command. Valid ones first. */
export function listGrants(db: ReadOnlyDb, scopeId: string) {
  const isExchanged = sql`exists (select 1 from ${grantCodes} where ${grantCodes.grantId} = ${grants.id} and ${grantCodes.usedAt} is not null)`;
  return db
    .select({
      id: grants.id,
      publicId: grants.publicId,
      clientName: grants.clientName,
      clientId: grants.clientId,
      clientHost: grants.clientHost,
      permissions: grants.permissions,
      accountIds: grants.accountIds,
      resource: grants.resource,
      lastOperation: grants.lastOperation,
      lastUsedAt: grants.lastUsedAt,
      createdAt: grants.createdAt,
      expiresAt: grants.expiresAt,
      revokedAt: grants.revokedAt,
      creatorEmail: nullable(owners.email),
    })
    .from(grants)
    .leftJoin(owners, eq(owners.id, grants.createdBy))
    .where(and(eq(grants.scopeId, scopeId), or(isNull(grants.clientId), isExchanged)))
    .orderBy(sql`${grants.revokedAt} is not null`, desc(grants.createdAt))
    .limit(MAX_GRANTS);
}

/** Its tokens are rejected from the next request on. False when the scope has no such grant, or it ended before. */
export async function endGrant(db: Db, scopeId: string, publicId: string, now: Date): Promise<boolean> {
  const ended = await db
    .update(grants)
    .set({ revokedAt: now })
    .where(and(eq(grants.scopeId, scopeId), eq(grants.publicId, publicId), isNull(grants.revokedAt)))
    .returning({ id: grants.id });
  return ended.length > 0;
}

export interface KeptUntil {
  now: Date;
  /** Until then, an access token that expired is still told from one that never was. */
  accessTokens: Date;
  /** Until then, the reuse of a refresh token ends its grant. */
  refreshTokens: Date;
}

/** Deletes tokens that are not needed any more, and consents whose code was never exchanged. */
export async function deleteEndedTokens(db: Db, { now, accessTokens, refreshTokens }: KeptUntil): Promise<void> {
  await db.batch([
    rawCommand(
      db,
      sql`delete from ${grantAccessTokens} where ${grantAccessTokens.expiresAt} < ${instant(accessTokens)}`,
    ),
    rawCommand(
      db,
      sql`delete from ${grantRefreshTokens} where ${grantRefreshTokens.usedAt} < ${instant(refreshTokens)}`,
    ),
    db.delete(grants).where(
      and(
        isNotNull(grants.clientId),
        sql`exists (select 1 from ${grantCodes} where ${grantCodes.grantId} = ${grants.id}
          and ${grantCodes.usedAt} is null and ${grantCodes.expiresAt} < ${instant(now)})`,
      ),
    ),
  ]);
}
