// Members of a workspace and the invitations that are open.
import { and, asc, eq, exists, gt, inArray, sql } from "drizzle-orm";
import { invitations, sessions } from "../../drizzle/schema/people.ts";
import { members, owners } from "../../drizzle/schema/tenants.ts";
import type { Db, ReadOnlyDb } from "../services/database.ts";
import { listRolesFrom, type Role } from "../shared/permissions.ts";

/** Both lists in one round trip. */
export async function listMembers(db: ReadOnlyDb, workspaceId: string, now: Date) {
  const [people, invited] = await db.batch([
    db
      .select({
        id: members.ownerId,
        email: owners.email,
        name: owners.name,
        role: members.role,
        createdAt: members.createdAt,
        lastSeenAt: sql<string | null>`(
          select max(${sessions.updatedAt}) from ${sessions} where ${sessions.userId} = ${members.ownerId})`,
      })
      .from(members)
      .innerJoin(owners, eq(owners.id, members.ownerId))
      .where(eq(members.workspaceId, workspaceId))
      .orderBy(asc(members.createdAt)),
    db
      .select({
        id: invitations.id,
        email: invitations.email,
        role: invitations.role,
        expiresAt: invitations.expiresAt,
      })
      .from(invitations)
      .where(and(eq(invitations.workspaceId, workspaceId), gt(invitations.expiresAt, now)))
      .orderBy(asc(invitations.createdAt)),
  ]);
  return { people, invited };
}

export interface NewInvitation {
  id: string;
  workspaceId: string;
  email: string;
  role: Role;
  invitedBy: string;
  expiresAt: Date;
}

/** A second invitation of the same person replaces the first. Null when the person is a member already. */
export async function inviteMember(db: Db, invitation: NewInvitation): Promise<{ id: string } | null> {
  const { role, expiresAt, invitedBy, email, workspaceId } = invitation;
  const [isMember] = await db
    .select({ id: members.ownerId })
    .from(members)
    .innerJoin(owners, eq(owners.id, members.ownerId))
    .where(and(eq(members.workspaceId, workspaceId), eq(sql`lower(${owners.email})`, email)));
  if (isMember) return null;
  const [row] = await db
    .insert(invitations)
    .values(invitation)
    .onConflictDoUpdate({
      target: [invitations.workspaceId, invitations.email],
      set: { role, expiresAt, invitedBy },
    })
    .returning({ id: invitations.id });
  return row ?? null;
}

export async function withdrawInvitation(db: Db, workspaceId: string, id: string): Promise<boolean> {
  const gone = await db
    .delete(invitations)
    .where(and(eq(invitations.workspaceId, workspaceId), eq(invitations.id, id)))
    .returning({ id: invitations.id });
  return gone.length > 0;
}

/**
 * Deletes the invitation and makes its person a member, in one statement. Null when it is not for this email, has ended, or
 * is of somebody who may no longer invite.
 */
export async function insertInvitedMember(
  db: Db,
  id: string,
  person: { id: string; email: string },
  now: Date,
): Promise<{ workspaceId: string } | null> {
  const isByAdmin = exists(
    db
      .select({ id: members.ownerId })
      .from(members)
      .where(
        and(
          eq(members.workspaceId, invitations.workspaceId),
          eq(members.ownerId, invitations.invitedBy),
          inArray(members.role, listRolesFrom("admin")),
        ),
      ),
  );
  const accepted = db.$with("accepted").as(
    db
      .delete(invitations)
      .where(
        and(
          eq(invitations.id, id),
          eq(invitations.email, person.email.toLowerCase()),
          gt(invitations.expiresAt, now),
          isByAdmin,
        ),
      )
      .returning({ workspaceId: invitations.workspaceId, role: invitations.role }),
  );
  const [row] = await db
    .with(accepted)
    .insert(members)
    .select(sql`select workspace_id, ${person.id}::uuid, role, ${now.toISOString()}::timestamptz from accepted`)
    .onConflictDoNothing()
    .returning({ workspaceId: members.workspaceId });
  return row ?? null;
}

/** Declines an invitation to the person's own address. */
export async function deleteOwnInvitation(db: Db, id: string, email: string): Promise<boolean> {
  const gone = await db
    .delete(invitations)
    .where(and(eq(invitations.id, id), eq(invitations.email, email.toLowerCase())))
    .returning({ id: invitations.id });
  return gone.length > 0;
}
