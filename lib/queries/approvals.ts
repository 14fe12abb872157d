// Approval links: a person without an account here approves a draft of a scope, once.
import { and, desc, eq, exists, gt, inArray, isNotNull, isNull, lt, lte, not, or, sql } from "drizzle-orm";
import { alias } from "drizzle-orm/pg-core";
import { approvalLinks } from "../../drizzle/schema/approvals.ts";
import { auditLog } from "../../drizzle/schema/audit.ts";
import { grants } from "../../drizzle/schema/keys.ts";
import { posts } from "../../drizzle/schema/posts.ts";
import { members, owners, subscriptions, workspaces } from "../../drizzle/schema/tenants.ts";
import type { Db, ReadOnlyDb } from "../services/database.ts";
import { listRolesFrom } from "../shared/permissions.ts";
import type { Scope } from "../shared/scope.ts";
import { toRead } from "./read.ts";
import { planScope, sandboxOf } from "./sandboxes.ts";
import { inScope } from "./scope.ts";
import { nullable } from "./sql.ts";
import { scopeTimeZone } from "./workspaces.ts";

const { id, postId, recipient, decision, comment, decidedAt, withdrawnAt, expiresAt, createdAt, workspaceId } =
  approvalLinks;

const creator = alias(owners, "creator");

/** The columns of the public shape. */
const LISTED_COLUMNS = {
  ...{ id, postId, recipient, message: approvalLinks.message, planHash: approvalLinks.planHash },
  ...{ decision, comment, decidedAt, withdrawnAt, expiresAt, createdAt },
};

export const isOpenLink = (now: Date) => and(isNull(decidedAt), isNull(withdrawnAt), gt(expiresAt, now));

export type NewApprovalLink = Omit<
  typeof approvalLinks.$inferInsert,
  "ownerId" | "workspaceId" | "scopeId" | "decision" | "comment" | "decidedAt" | "withdrawnAt"
>;

/** A retry of the same request has the same id; the URL of its response is the one that works. */
export async function insertApprovalLink(
  db: Db,
  { ownerId, workspaceId }: Scope,
  link: NewApprovalLink,
): Promise<void> {
  const { tokenHash, planHash, postVersion } = link;
  await db
    .insert(approvalLinks)
    .values({ ...link, ownerId, workspaceId })
    .onConflictDoUpdate({ target: id, set: { tokenHash, planHash, postVersion } });
}

/** The newest first; null if the scope has no such post. */
export function listApprovalLinks(db: ReadOnlyDb, scope: Scope, ofPost: string) {
  const found = db
    .select({ id: posts.id })
    .from(posts)
    .where(and(eq(posts.id, ofPost), inScope(posts, scope), isNotNull(posts.status)));
  const links = db
    .select(LISTED_COLUMNS)
    .from(approvalLinks)
    .where(and(eq(postId, ofPost), inScope(approvalLinks, scope)))
    .orderBy(desc(createdAt), desc(id))
    .limit(20);
  return toRead(db, [found, links], ([[post], rows]) => (post ? rows : null));
}

/** A link of a post, whatever became of it, and whether the caller has written the draft; null without one. */
export async function findApproval(
  db: ReadOnlyDb,
  scope: Scope,
  wanted: { id: string; postId: string; writer: string },
) {
  const isOwnDraft = sql<boolean>`exists (select 1 from ${auditLog} where ${auditLog.recordId} = ${postId}
    and ${auditLog.noun} = 'posts' and ${auditLog.action} <> 'approvals.approve' and ${auditLog.actorId} = ${wanted.writer}::uuid)`;
  const [row] = await db
    .select({ ...LISTED_COLUMNS, isOwnDraft })
    .from(approvalLinks)
    .where(and(eq(id, wanted.id), eq(postId, wanted.postId), inScope(approvalLinks, scope)));
  return row ?? null;
}

/** The link of a token with the plan of its workspace and the current version of the post; null when there is none. */
export async function findApprovalLinkByToken(db: ReadOnlyDb, tokenHash: string) {
  const isEditor = exists(
    db
      .select({ id: members.ownerId })
      .from(members)
      .where(
        and(
          eq(members.workspaceId, planScope(workspaceId)),
          eq(members.ownerId, approvalLinks.createdBy),
          inArray(members.role, listRolesFrom("editor")),
        ),
      ),
  );
  const isOfEndedGrant = exists(
    db
      .select({ id: grants.id })
      .from(auditLog)
      .innerJoin(grants, eq(grants.id, auditLog.actorId))
      .where(
        and(
          eq(auditLog.recordId, id),
          eq(auditLog.action, "approvals.create"),
          or(isNotNull(grants.revokedAt), lte(grants.expiresAt, sql`now()`)),
        ),
      ),
  );
  const [row] = await db
    .select({
      ...{ id, postId, recipient, decision, comment, decidedAt, withdrawnAt, expiresAt },
      planHash: approvalLinks.planHash,
      postVersion: approvalLinks.postVersion,
      message: approvalLinks.message,
      /** Gets the answer; null for a link of a key. */
      creatorEmail: nullable(creator.email),
      /** False once the person who asks is no longer an editor of the workspace, or the grant of the app that asks has ended. */
      mayAsk: sql<boolean>`${and(or(isNull(workspaceId), isNull(approvalLinks.createdBy), isEditor), not(isOfEndedGrant))}`,
      ownerId: approvalLinks.ownerId,
      workspaceId,
      scopeId: approvalLinks.scopeId,
      sandbox: sandboxOf(approvalLinks.scopeId),
      currentVersion: posts.version,
      sender: sql<string>`coalesce(${workspaces.name}, ${owners.name})`,
      timeZone: scopeTimeZone(approvalLinks.scopeId),
      tier: subscriptions.tier,
      subscription: subscriptions.status,
      paidUntil: subscriptions.paidUntil,
    })
    .from(approvalLinks)
    .innerJoin(posts, eq(posts.id, postId))
    .innerJoin(owners, eq(owners.id, approvalLinks.ownerId))
    .leftJoin(creator, eq(creator.id, approvalLinks.createdBy))
    .leftJoin(workspaces, eq(workspaces.id, workspaceId))
    .leftJoin(subscriptions, eq(subscriptions.scopeId, planScope(approvalLinks.scopeId)))
    .where(eq(approvalLinks.tokenHash, tokenHash));
  return row ?? null;
}

export type ApprovalLink = NonNullable<Awaited<ReturnType<typeof findApprovalLinkByToken>>>;

/** Ends a link with a comment, once; false when it was decided before or has ended. */
export async function saveApprovalComment(
  db: Db,
  linkId: string,
  { comment, now }: { comment: string; now: Date },
): Promise<boolean> {
  const decided = await db
    .update(approvalLinks)
    .set({ decision: "commented", comment, decidedAt: now })
    .where(and(eq(id, linkId), isOpenLink(now)))
    .returning({ id });
  return decided.length > 0;
}

/** Ends an open link of a post; false when there is none. */
export async function withdrawApprovalLink(
  db: Db,
  scope: Scope,
  link: { id: string; postId: string; now: Date },
): Promise<boolean> {
  const withdrawn = await db
    .update(approvalLinks)
    .set({ withdrawnAt: link.now })
    .where(and(inScope(approvalLinks, scope), eq(id, link.id), eq(postId, link.postId), isOpenLink(link.now)))
    .returning({ id });
  return withdrawn.length > 0;
}

/** Deletes links that ended before then. */
export async function deleteEndedApprovalLinks(db: Db, before: Date): Promise<void> {
  await db.delete(approvalLinks).where(lt(expiresAt, before));
}
