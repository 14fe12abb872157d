// Approval links: a person without an account here approves a draft of a scope, once.
import { and, desc, eq, exists, gt, inArray, isNull, lt, or, sql } from "drizzle-orm";
import { alias } from "drizzle-orm/pg-core";
import { approvalLinks } from "../../drizzle/schema/approvals.ts";
import { posts } from "../../drizzle/schema/posts.ts";
import { members, owners, subscriptions, workspaces } from "../../drizzle/schema/tenants.ts";
import type { Db, ReadOnlyDb } from "../services/database.ts";
import { listRolesFrom } from "../shared/permissions.ts";
import type { Scope } from "../shared/scope.ts";
import { readRows } from "./read.ts";

const { id, postId, recipient, decision, comment, decidedAt, withdrawnAt, expiresAt, createdAt, workspaceId } =
  approvalLinks;

const creator = alias(owners, "creator");

export type NewApprovalLink = Pick<
  typeof approvalLinks.$inferInsert,
  "id" | "postId" | "postVersion" | "planHash" | "tokenHash" | "recipient" | "createdBy" | "expiresAt"
>;

export async function insertApprovalLink(
  db: Db,
  { ownerId, workspaceId }: Scope,
  link: NewApprovalLink,
): Promise<void> {
  await db.insert(approvalLinks).values({ ...link, ownerId, workspaceId });
}

/** The newest first. */
export function listApprovalLinks(db: ReadOnlyDb, scopeId: string, ofPost: string) {
  const query = db
    .select({ id, recipient, decision, comment, decidedAt, withdrawnAt, expiresAt, createdAt })
    .from(approvalLinks)
    .where(and(eq(postId, ofPost), eq(approvalLinks.scopeId, scopeId)))
    .orderBy(desc(createdAt))
    .limit(20);
  return readRows(db, query);
}

/** The link of a token with the plan of its workspace and the current version of the post; null when there is none. */
export async function findApprovalLinkByToken(db: ReadOnlyDb, tokenHash: string) {
  const isEditor = exists(
    db
      .select({ id: members.ownerId })
      .from(members)
      .where(
        and(
          eq(members.workspaceId, workspaceId),
          eq(members.ownerId, approvalLinks.createdBy),
          inArray(members.role, listRolesFrom("editor")),
        ),
      ),
  );
  const [row] = await db
    .select({
      ...{ id, postId, recipient, decision, comment, decidedAt, withdrawnAt, expiresAt },
      planHash: approvalLinks.planHash,
      postVersion: approvalLinks.postVersion,
      /** Gets the answer. */
      creatorEmail: creator.email,
      /** False once the person who asks is no longer an editor of the workspace. */
      mayAsk: sql<boolean>`${or(isNull(workspaceId), isEditor)}`,
      ownerId: approvalLinks.ownerId,
      workspaceId,
      scopeId: approvalLinks.scopeId,
      currentVersion: posts.version,
      sender: sql<string>`coalesce(${workspaces.name}, ${owners.name})`,
      tier: subscriptions.tier,
      subscription: subscriptions.status,
      paidUntil: subscriptions.paidUntil,
    })
    .from(approvalLinks)
    .innerJoin(posts, eq(posts.id, postId))
    .innerJoin(owners, eq(owners.id, approvalLinks.ownerId))
    .innerJoin(creator, eq(creator.id, approvalLinks.createdBy))
    .leftJoin(workspaces, eq(workspaces.id, workspaceId))
    .leftJoin(subscriptions, eq(subscriptions.scopeId, approvalLinks.scopeId))
    .where(eq(approvalLinks.tokenHash, tokenHash));
  return row ?? null;
}

export type ApprovalLink = NonNullable<Awaited<ReturnType<typeof findApprovalLinkByToken>>>;

/** Decides a link once; false when it was decided before or has ended. */
export async function saveApprovalDecision(
  db: Db,
  linkId: string,
  { decision, comment, now }: { decision: "approved" | "commented"; comment: string | null; now: Date },
): Promise<boolean> {
  const decided = await db
    .update(approvalLinks)
    .set({ decision, comment, decidedAt: now })
    .where(and(eq(id, linkId), isNull(decidedAt), isNull(withdrawnAt), gt(expiresAt, now)))
    .returning({ id });
  return decided.length > 0;
}

/** The decision had no effect, so that it can be made again. */
export async function reopenApproval(db: Db, linkId: string): Promise<void> {
  await db.update(approvalLinks).set({ decision: null, comment: null, decidedAt: null }).where(eq(id, linkId));
}

/** Ends an open link of a post; false when there is none. */
export async function withdrawApprovalLink(
  db: Db,
  scopeId: string,
  link: { id: string; postId: string; now: Date },
): Promise<boolean> {
  const withdrawn = await db
    .update(approvalLinks)
    .set({ withdrawnAt: link.now })
    .where(
      and(
        eq(approvalLinks.scopeId, scopeId),
        eq(id, link.id),
        eq(postId, link.postId),
        isNull(decidedAt),
        isNull(withdrawnAt),
        gt(expiresAt, link.now),
      ),
    )
    .returning({ id });
  return withdrawn.length > 0;
}

/** Deletes links that ended before then. */
export async function deleteEndedApprovalLinks(db: Db, before: Date): Promise<void> {
  await db.delete(approvalLinks).where(lt(expiresAt, before));
}
