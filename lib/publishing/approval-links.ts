// Approval links: a draft as it is now, sent to a person without an account here.
import { randomBytes } from "node:crypto";
import type * as z from "zod";
import { type ApprovalLink, findApprovalLinkByToken, insertApprovalLink } from "../queries/approvals.ts";
import type { ApprovalRequest } from "../schemas/approval.ts";
import type { RequestContext, Services } from "../services/context.ts";
import { getPublicUrl } from "../services/env.ts";
import { sha256Hex } from "../shared/crypto.ts";
import { apiError } from "../shared/errors.ts";
import { APPROVAL_PATH } from "../shared/paths.ts";
import type { LoadedPost } from "./load-post.ts";
import { hashPlan } from "./plan.ts";

const TOKEN = /^[A-Za-z0-9_-]{43}$/;

/** Returns the URL of the link, which is not stored: only a hash of its token is. Throws `not_found` and `post_not_draft`. */
export async function createApprovalLink(
  { db, env, key, actor, ids, now }: Pick<RequestContext, "db" | "env" | "key" | "actor" | "ids" | "now">,
  loaded: LoadedPost | null,
  { recipient, message, expires_in }: z.output<typeof ApprovalRequest>,
) {
  if (!loaded) throw apiError("not_found", "No post with this id is visible to the key.");
  const { id: postId, status, version, draft, references } = loaded;
  if (status !== "draft") throw apiError("post_not_draft", `Only drafts are approved; this is ${status}.`);
  const token = randomBytes(32).toString("base64url");
  const [id, planHash] = [ids(), hashPlan(draft, references)];
  const expiresAt = new Date(now.getTime() + expires_in * 1000);
  await insertApprovalLink(db, key.scope, {
    ...{ id, postId, postVersion: version, planHash, recipient, expiresAt, createdAt: now },
    message: message ?? null,
    createdBy: actor.kind === "member" ? actor.id : null,
    tokenHash: sha256Hex(token),
  });
  const url = new URL(`${APPROVAL_PATH}/${token}`, getPublicUrl(env)).href;
  return { id, url, expires_at: expiresAt, fingerprint: planHash };
}

/** The link behind a URL, whatever became of it; null when there is none. */
export async function findApprovalLink(db: Services["db"], token: string): Promise<ApprovalLink | null> {
  return TOKEN.test(token) ? findApprovalLinkByToken(db, sha256Hex(token)) : null;
}

export type ApprovalStatus = "open" | "approved" | "commented" | "expired" | "changed";

export function getApprovalStatus(link: ApprovalLink, now: Date): ApprovalStatus {
  if (link.decision) return link.decision;
  if (link.withdrawnAt || !link.mayAsk || link.expiresAt <= now) return "expired";
  return link.currentVersion === link.postVersion ? "open" : "changed";
}
