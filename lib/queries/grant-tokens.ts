// Changes the tokens of a grant, each in one statement, so that of requests at the same time the database chooses one: the
// row of the code or token is locked first, and a request that waited reads what the one before it wrote.
import { type SQL, sql } from "drizzle-orm";
import { grants } from "../../drizzle/schema/keys.ts";
import { grantAccessTokens, grantCodes, grantRefreshTokens } from "../../drizzle/schema/oauth.ts";
import { members } from "../../drizzle/schema/tenants.ts";
import type { Db } from "../services/database.ts";
import { KEY_ROLE, listRolesFrom, type Permission } from "../shared/permissions.ts";
import type { Resource } from "../shared/resources.ts";
import { planScope } from "./sandboxes.ts";
import { instant, rawQuery, textArray, typedAs } from "./sql.ts";

/** The part of a token that is stored. */
export interface StoredToken {
  /** The part of the token before the dot. */
  publicId: string;
  secretHash: string;
}

export interface TokenRequest {
  clientId: string;
  /** Given with the request; empty: whatever the grant is for. */
  resources: readonly (Resource | null)[];
  tokens: { access: StoredToken; refresh: StoredToken };
  now: Date;
  accessExpiresAt: Date;
  /** The grant ends then, unless it is refreshed before. */
  grantExpiresAt: Date;
  /** Names the request in the audit log. */
  requestId: string;
}

/** The person may still make keys in the workspace. */
const isByAdmin = sql`(${planScope(grants.scopeId)} = ${grants.ownerId} or exists (
  select 1 from ${members} where ${members.workspaceId} = ${planScope(grants.scopeId)} and ${members.ownerId} = ${grants.createdBy}
    and ${members.role} = any(${textArray(listRolesFrom(KEY_ROLE))})))`;

/** The grant is the client's, has not ended, and is for what the client asks a token for. */
function isStanding({ clientId, resources, now }: Pick<TokenRequest, "clientId" | "resources" | "now">): SQL {
  const named = resources.filter((resource) => resource !== null);
  const isForAll = resources.length > named.length;
  const isFor = sql`(${grants.resource} is null or (not ${isForAll}::boolean and ${grants.resource} = all(${textArray(named)})))`;
  return sql`${grants.clientId} = ${clientId} and ${grants.revokedAt} is null and ${grants.expiresAt} > ${instant(now)}
    and ${isFor} and ${isByAdmin}`;
}

/** Inserts a pair of tokens for each row of `granted`, which has the id of a grant. */
const insertTokens = (granted: SQL, { tokens, accessExpiresAt, now }: TokenRequest) => sql`
  new_access_token as (
    insert into ${grantAccessTokens} (public_id, secret_hash, grant_id, expires_at)
    select ${tokens.access.publicId}, ${tokens.access.secretHash}, id, ${instant(accessExpiresAt)} from ${granted}
  ), new_refresh_token as (
    insert into ${grantRefreshTokens} (public_id, secret_hash, grant_id, created_at)
    select ${tokens.refresh.publicId}, ${tokens.refresh.secretHash}, id, ${instant(now)} from ${granted}
  )`;

/**
 * Ends the grants of `ended` (with id and public_id). The statement names its actor itself, as only the database knows the grant;
 * the audit log reads the setting when the row changes, so it is read before.
 */
const endGrants = (ended: SQL, action: string, { requestId, now }: Pick<TokenRequest, "requestId" | "now">) => sql`
  ending_grant as materialized (
    select id, set_config('audit.actor', jsonb_build_object('kind', 'grant', 'id', id, 'name', public_id,
      'action', ${action}::text, 'request_id', ${requestId}::text)::text, true) as actor
    from ${ended}
  ), ended_grant as (
    update ${grants} set revoked_at = ${instant(now)} from ending_grant
    where ${grants.id} = ending_grant.id and ending_grant.actor <> '' and ${grants.revokedAt} is null
    returning ${grants.id}
  )`;

export interface PresentedCode extends TokenRequest {
  codeHash: string;
  redirectUri: string;
  codeChallenge: string;
}

/** The permissions of the grant; null when the code is not valid. A code that was used before ends the grant that it gave. */
export async function exchangeCode(db: Db, given: PresentedCode): Promise<{ permissions: Permission[] } | null> {
  const [row] = await rawQuery(
    db,
    { permissions: typedAs(sql`live_grant.permissions`, grants.permissions) },
    (list) => sql`
      with presented_code as (
        select * from ${grantCodes} where ${grantCodes.codeHash} = ${given.codeHash} for update
      ), used_code as (
        update ${grantCodes} set used_at = ${instant(given.now)} from presented_code
        join ${grants} on ${grants.id} = presented_code.grant_id
        where ${grantCodes.codeHash} = presented_code.code_hash and presented_code.used_at is null
          and presented_code.expires_at > ${instant(given.now)} and presented_code.redirect_uri = ${given.redirectUri}
          and presented_code.code_challenge = ${given.codeChallenge} and ${isStanding(given)}
        returning ${grantCodes.grantId}
      ), live_grant as (
        update ${grants} set expires_at = ${instant(given.grantExpiresAt)} from used_code
        where ${grants.id} = used_code.grant_id and ${grants.revokedAt} is null
        returning ${grants.id}, ${grants.permissions}
      ), ${insertTokens(sql`live_grant`, given)}, ${endGrants(
        sql`(select ${grants.id}, ${grants.publicId} from presented_code join ${grants} on ${grants.id} = presented_code.grant_id
          where presented_code.used_at is not null) replayed_grant`,
        "grants.replay",
        given,
      )} select ${list} from live_grant`,
  );
  return row ? { permissions: row.permissions ?? [] } : null;
}

export interface PresentedRefreshToken extends TokenRequest {
  refreshToken: StoredToken;
  /** A token that was used since may be used again, with the same answer. */
  reusableSince: Date;
}

export interface RefreshedGrant {
  permissions: Permission[];
  /** When the token was used first: the tokens are of that time. */
  usedAt: Date;
  /** The public id of the refresh token that was given then. */
  successorId: string;
}

/** Null when the token is not valid. One that is used again after the time for it ends its grant. */
export async function useRefreshToken(db: Db, given: PresentedRefreshToken): Promise<RefreshedGrant | null> {
  const { publicId, secretHash } = given.refreshToken;
  const successorId = given.tokens.refresh.publicId;
  const isReused = sql`standing_grant.used_at < ${instant(given.reusableSince)}`;
  const [row] = await rawQuery(
    db,
    {
      permissions: typedAs(sql`standing_grant.permissions`, grants.permissions),
      usedAt: typedAs(sql`coalesce(standing_grant.used_at, ${instant(given.now)})`, grantCodes.expiresAt),
      successorId: sql<string>`coalesce(standing_grant.successor_id, ${successorId})`,
    },
    (list) => sql`
      with presented_token as (
        select * from ${grantRefreshTokens}
        where ${grantRefreshTokens.publicId} = ${publicId} and ${grantRefreshTokens.secretHash} = ${secretHash} for update
      ), standing_grant as (
        select ${grants.id}, ${grants.publicId}, ${grants.permissions}, presented_token.used_at, presented_token.successor_id
        from presented_token join ${grants} on ${grants.id} = presented_token.grant_id where ${isStanding(given)}
      ), used_token as (
        update ${grantRefreshTokens} set used_at = ${instant(given.now)}, successor_id = ${successorId} from standing_grant
        where ${grantRefreshTokens.publicId} = ${publicId} and standing_grant.used_at is null
        returning ${grantRefreshTokens.grantId}
      ), live_grant as (
        update ${grants} set expires_at = ${instant(given.grantExpiresAt)} from used_token
        where ${grants.id} = used_token.grant_id and ${grants.revokedAt} is null
        returning ${grants.id}
      ), ${insertTokens(sql`live_grant`, given)}, ${endGrants(sql`standing_grant where ${isReused}`, "grants.reuse", given)}
      select ${list} from standing_grant where ${isReused} is not true`,
  );
  return row ? { ...row, permissions: row.permissions ?? [] } : null;
}

export interface RevocationRequest {
  token: StoredToken;
  clientId: string;
  now: Date;
  requestId: string;
}

/** Ends the grant of an access or refresh token. Null when there is no such token, false when it is another client's. */
export async function revokeByToken(db: Db, given: RevocationRequest): Promise<boolean | null> {
  const { publicId, secretHash } = given.token;
  const select = (table: typeof grantAccessTokens | typeof grantRefreshTokens) =>
    sql`select ${table.grantId} from ${table} where ${table.publicId} = ${publicId} and ${table.secretHash} = ${secretHash}`;
  const [row] = await rawQuery(
    db,
    { isOwn: sql<boolean>`is_own` },
    (list) => sql`
      with presented_grant as (
        select ${grants.id}, ${grants.publicId}, ${grants.clientId} = ${given.clientId} as is_own from ${grants}
        where ${grants.id} in (${select(grantAccessTokens)} union all ${select(grantRefreshTokens)})
      ), ${endGrants(sql`presented_grant where is_own`, "grants.revoke", given)} select ${list} from presented_grant`,
  );
  return row ? row.isOwn : null;
}
