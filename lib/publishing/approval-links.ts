// Approval links: a draft as it is now, sent to a person without an account here.
import { randomBytes } from "node:crypto";
import { v7 as newId } from "uuid";
import { type ApprovalLink, findApprovalLinkByToken, insertApprovalLink } from "../queries/approvals.ts";
import type { Services } from "../services/context.ts";
import type { Db } from "../services/database.ts";
import { sha256Hex } from "../shared/crypto.ts";
import { apiError } from "../shared/errors.ts";
import { APPROVAL_PATH } from "../shared/paths.ts";
import type { Scope } from "../shared/scope.ts";
import { loadPost } from "./load-post.ts";
import { hashPlan } from "./plan.ts";

const TOKEN = /^[A-Za-z0-9_-]{43}$/;

export interface ApprovalRequest {
  postId: string;
  /** Names the person who is asked, in words. */
  recipient: string;
  /** The id of the person who asks, and gets the answer. */
  createdBy: string;
  expiresAt: Date;
}

/** Returns the path of the link, which is not stored: only a hash of its token is. Throws `not_found` and `post_not_draft`. */
export async function createApprovalLink(
  services: Pick<Services, "db" | "fetch" | "env" | "resolveHost" | "clock">,
  audited: Db,
  scope: Scope,
  { postId, recipient, createdBy, expiresAt }: ApprovalRequest,
): Promise<string> {
  const key = { id: "", publicId: "", scope };
  const loaded = await loadPost({ ...services, key, now: services.clock() }, postId, {});
  if (!loaded) throw apiError("not_found", "There is no such post in this workspace.");
  const { status, version, draft, references } = loaded;
  if (status !== "draft") throw apiError("post_not_draft", `Only drafts are approved; this is ${status}.`);
  const token = randomBytes(32).toString("base64url");
  await insertApprovalLink(audited, scope, {
    ...{ id: newId(), postId, recipient, createdBy, expiresAt },
    postVersion: version,
    planHash: hashPlan(draft, references),
    tokenHash: sha256Hex(token),
  });
  return `${APPROVAL_PATH}/${token}`;
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
