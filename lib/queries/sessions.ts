// Reads the signed-in person and the workspaces that each person may open.
import { and, asc, eq, exists, gt, or, sql } from "drizzle-orm";
import { invitations, sessions } from "../../drizzle/schema/people.ts";
import { members, owners, subscriptions, workspaces } from "../../drizzle/schema/tenants.ts";
import type { ReadOnlyDb } from "../services/database.ts";
import { testScopeOf } from "./sandboxes.ts";

const PLAN = { tier: subscriptions.tier, subscription: subscriptions.status, paidUntil: subscriptions.paidUntil };

/** The person of a session with all workspaces, in one round trip; null when the session is unknown or has ended. */
export async function findSession(db: ReadOnlyDb, token: string, now: Date) {
  const isCurrent = and(eq(sessions.token, token), gt(sessions.expiresAt, now));
  const [[person], memberships, [personal], invited] = await db.batch([
    db
      .select({ id: owners.id, email: owners.email, name: owners.name, timeZone: owners.timeZone })
      .from(sessions)
      .innerJoin(owners, eq(owners.id, sessions.userId))
      .where(isCurrent),
    db
      .select({
        ...{ id: workspaces.id, name: workspaces.name, timeZone: workspaces.timeZone },
        ...{ ownerId: workspaces.ownerId, role: members.role, ...PLAN },
        testScope: testScopeOf(workspaces.id),
      })
      .from(sessions)
      .innerJoin(members, eq(members.ownerId, sessions.userId))
      .innerJoin(workspaces, eq(workspaces.id, members.workspaceId))
      .leftJoin(subscriptions, eq(subscriptions.scopeId, workspaces.id))
      .where(isCurrent)
      .orderBy(asc(workspaces.createdAt), asc(workspaces.id)),
    // Records without a workspace exist only for owners who have a plan of their own.
    db
      .select({ ...PLAN, testScope: testScopeOf(subscriptions.scopeId) })
      .from(sessions)
      .innerJoin(subscriptions, eq(subscriptions.scopeId, sessions.userId))
      .where(isCurrent),
    db
      .select({ id: invitations.id, role: invitations.role, workspace: workspaces.name })
      .from(sessions)
      .innerJoin(owners, eq(owners.id, sessions.userId))
      .innerJoin(invitations, eq(invitations.email, sql`lower(${owners.email})`))
      .innerJoin(workspaces, eq(workspaces.id, invitations.workspaceId))
      .where(and(isCurrent, gt(invitations.expiresAt, now))),
  ]);
  return person ? { person, memberships, personal: personal ?? null, invitations: invited } : null;
}

/** Codes are sent only to people who exist or are invited. */
export async function maySignIn(db: ReadOnlyDb, email: string, now: Date): Promise<boolean> {
  const isInvited = exists(
    db
      .select({ id: invitations.id })
      .from(invitations)
      .where(and(eq(invitations.email, email), gt(invitations.expiresAt, now))),
  );
  const isKnown = exists(
    db
      .select({ id: owners.id })
      .from(owners)
      .where(eq(sql`lower(${owners.email})`, email)),
  );
  const [row] = await db.select({ may: sql<boolean>`${or(isKnown, isInvited)}` }).from(sql`(values (1)) one`);
  return row?.may ?? false;
}
