// Ends a membership or changes its role, with everything the member made that opens the workspace to others.
import { and, asc, eq, isNull, ne, or, type SQL, sql } from "drizzle-orm";
import { approvalLinks } from "../../drizzle/schema/approvals.ts";
import { connectLinks } from "../../drizzle/schema/connections.ts";
import { apiKeys, grants } from "../../drizzle/schema/keys.ts";
import { invitations } from "../../drizzle/schema/people.ts";
import { members, owners } from "../../drizzle/schema/tenants.ts";
import type { Db, ReadOnlyDb } from "../services/database.ts";
import { KEY_ROLE, listRolesFrom, type Role } from "../shared/permissions.ts";
import { inBothModes } from "./sandboxes.ts";
import { instant, rawQuery, textArray } from "./sql.ts";

export interface MemberIds {
  workspaceId: string;
  memberId: string;
}

/** What ended together with a membership or a role. */
export interface EndedAccess {
  approvals: number;
  invitations: number;
  connectLinks: number;
  grants: number;
  keys: number;
}

const COUNTS = {
  approvals: sql<number>`(select count(*)::int from ended_approvals)`,
  invitations: sql<number>`(select count(*)::int from ended_invitations)`,
  connectLinks: sql<number>`(select count(*)::int from ended_links)`,
  grants: sql<number>`(select count(*)::int from ended_grants)`,
  keys: sql<number>`(select count(*)::int from revoked_keys)`,
};

/** Ends what a member with this role may no longer have made; without a role, everything. */
function endAccess({ workspaceId, memberId }: MemberIds, role: Role | null, keys: readonly string[], now: Date): SQL {
  const ifBelow = (least: Role) =>
    sql`exists (select 1 from changed_member) and ${role === null || !listRolesFrom(least).includes(role)}::boolean`;
  return sql`
    ended_approvals as (
      update ${approvalLinks} set withdrawn_at = ${instant(now)}
      where ${inBothModes(approvalLinks.scopeId, workspaceId)} and ${approvalLinks.createdBy} = ${memberId}
        and ${approvalLinks.decidedAt} is null and ${approvalLinks.withdrawnAt} is null
        and ${approvalLinks.expiresAt} > ${instant(now)} and ${ifBelow("editor")}
      returning 1
    ), ended_invitations as (
      delete from ${invitations} where ${invitations.workspaceId} = ${workspaceId}
        and ${invitations.invitedBy} = ${memberId} and ${ifBelow("admin")}
      returning 1
    ), ended_links as (
      delete from ${connectLinks} where ${inBothModes(connectLinks.scopeId, workspaceId)}
        and ${connectLinks.createdBy} = ${memberId} and ${ifBelow("admin")}
      returning 1
    ), ended_grants as (
      update ${grants} set revoked_at = ${instant(now)} where ${inBothModes(grants.scopeId, workspaceId)}
        and ${grants.createdBy} = ${memberId} and ${grants.revokedAt} is null and ${ifBelow(KEY_ROLE)}
      returning 1
    ), revoked_keys as (
      update ${apiKeys} set revoked_at = ${instant(now)} where ${inBothModes(apiKeys.scopeId, workspaceId)}
        and ${apiKeys.createdBy} = ${memberId} and ${apiKeys.publicId} = any(${textArray(keys)})
        and ${apiKeys.revokedAt} is null and exists (select 1 from changed_member)
      returning 1
    )`;
}

/** Removes a member and revokes the named keys that the member made. Null when there is no such member, or it is the owner. */
export function removeMember(
  db: Db,
  ids: MemberIds,
  { keys, now }: { keys: readonly string[]; now: Date },
): Promise<EndedAccess | null> {
  return changeMember(db, ids, sql`delete from ${members}`, endAccess(ids, null, keys, now));
}

/** A workspace keeps its owner: neither the owner's role nor anybody into that role changes here; null then. */
export function changeMemberRole(
  db: Db,
  ids: MemberIds,
  { role, now }: { role: Exclude<Role, "owner">; now: Date },
): Promise<EndedAccess | null> {
  return changeMember(db, ids, sql`update ${members} set role = ${role}`, endAccess(ids, role, [], now));
}

/** Applies the change to a member who is not the owner, and ends access only if there is one. */
async function changeMember(db: Db, ids: MemberIds, change: SQL, end: SQL): Promise<EndedAccess | null> {
  const [ended] = await rawQuery(
    db,
    COUNTS,
    (list) => sql`
      with changed_member as (
        ${change} where ${members.workspaceId} = ${ids.workspaceId} and ${members.ownerId} = ${ids.memberId}
          and ${members.role} <> 'owner'
        returning 1
      ), ${end}
      select ${list} where exists (select 1 from changed_member)`,
  );
  return ended ?? null;
}

/** A member who may be removed, with the valid keys that the member made; null when there is none. */
export async function findRemovableMember(db: ReadOnlyDb, { workspaceId, memberId }: MemberIds, now: Date) {
  const [[member], keys] = await db.batch([
    db
      .select({ id: members.ownerId, email: owners.email, role: members.role })
      .from(members)
      .innerJoin(owners, eq(owners.id, members.ownerId))
      .where(and(eq(members.workspaceId, workspaceId), eq(members.ownerId, memberId), ne(members.role, "owner"))),
    db
      .select({ publicId: apiKeys.publicId, name: apiKeys.name, lastUsedAt: apiKeys.lastUsedAt })
      .from(apiKeys)
      .where(
        and(
          inBothModes(apiKeys.scopeId, workspaceId),
          eq(apiKeys.createdBy, memberId),
          isNull(apiKeys.revokedAt),
          or(isNull(apiKeys.expiresAt), sql`${apiKeys.expiresAt} > ${instant(now)}`),
        ),
      )
      .orderBy(asc(apiKeys.createdAt)),
  ]);
  return member ? { ...member, keys } : null;
}
