// Approval links: a person without an account here approves a draft of a scope, once.
import { and, desc, eq, gt, isNull, lt, sql } from "drizzle-orm";
import { approvalLinks } from "../../drizzle/schema/approvals.ts";
import { posts } from "../../drizzle/schema/posts.ts";
import { owners, subscriptions, workspaces } from "../../drizzle/schema/tenants.ts";
import type { Db, ReadOnlyDb } from "../services/database.ts";
import type { Scope } from "../shared/scope.ts";
import { readRows } from "./read.ts";

const { id, postId, recipient, decision, comment, decidedAt, expiresAt, createdAt } = approvalLinks;

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
    .select({ id, recipient, decision, comment, decidedAt, expiresAt, createdAt })
    .from(approvalLinks)
    .where(and(eq(postId, ofPost), eq(approvalLinks.scopeId, scopeId)))
    .orderBy(desc(createdAt))
    .limit(20);
  return readRows(db, query);
}

/** The link of a token with the plan of its workspace and the current version of the post; null when there is none. */
export async function findApprovalLinkByToken(db: ReadOnlyDb, tokenHash: string) {
  const [row] = await db
    .select({
      ...{ id, postId, recipient, decision, comment, decidedAt, expiresAt },
      planHash: approvalLinks.planHash,
      postVersion: approvalLinks.postVersion,
      createdBy: approvalLinks.createdBy,
      ownerId: approvalLinks.ownerId,
      workspaceId: approvalLinks.workspaceId,
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
    .leftJoin(workspaces, eq(workspaces.id, approvalLinks.workspaceId))
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
    .where(and(eq(id, linkId), isNull(decidedAt), gt(expiresAt, now)))
    .returning({ id });
  return decided.length > 0;
}

/** The decision had no effect, so that it can be made again. */
export async function reopenApproval(db: Db, linkId: string): Promise<void> {
  await db.update(approvalLinks).set({ decision: null, comment: null, decidedAt: null }).where(eq(id, linkId));
}

/** Deletes links that ended before then. */
export async function deleteEndedApprovalLinks(db: Db, before: Date): Promise<void> {
  await db.delete(approvalLinks).where(lt(expiresAt, before));
}
